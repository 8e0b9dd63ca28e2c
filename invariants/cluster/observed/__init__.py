"""What logs and ZooKeeper show of a cluster's steps, and bounds for what was seen."""
