"""Kafka's controller, brokers and fetchers as pure functions over a state."""
