"""Kafka's own tests as vectors, and what does their steps with the model."""
