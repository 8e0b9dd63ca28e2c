"""Elections: the controller's, asked of Kafka's own algorithms and of the model."""
