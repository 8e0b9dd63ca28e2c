"""Random systems of sets, and of messages in a set."""
