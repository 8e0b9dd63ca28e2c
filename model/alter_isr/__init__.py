"""One leader that asks the controller for changes of its ISR: AlterIsr (KIP-497).

Leaders of Kafka 2.7 and later do not write the ISR to ZooKeeper themselves. Here is no
more than the two sides of that exchange: the partition keeps its leader, and its
followers are known by whether they have all records.
"""
