"""Variables that ZooKeeper keeps: znodes, watches, notifications, topics."""
