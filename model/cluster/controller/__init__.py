"""What the controller's thread does, one ZooKeeper round trip at a time."""
