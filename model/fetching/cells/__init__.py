"""The values of the cells of the fetching brokers."""
