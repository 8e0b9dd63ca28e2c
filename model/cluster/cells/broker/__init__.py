"""Variables of a broker: its process, its disks, its replicas, its clients."""
