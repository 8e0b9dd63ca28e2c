"""A cluster with ZooKeeper, controllers, and brokers with log directories (KIP-112).

ZooKeeper, the controller's one thread with its event queue, the channels from the
controller to the brokers, and the brokers' log directories are apart, and every step
that Kafka takes apart is a step of its own: an I/O error and each phase of its handler,
each read and each conditional write of ZooKeeper, delivery of a request, its answer.

Source: Apache Kafka 2.5.1; KIP-112. Each function names its rules (``Rules: C-LIR-1``)
and the method of Kafka that it restates (``Source: KafkaController.…``).
"""
