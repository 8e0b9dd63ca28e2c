"""Controllers: the model's and Kafka's own, around a ZooKeeper, event by event."""
