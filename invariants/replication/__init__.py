"""Properties of the model of replication alone."""
