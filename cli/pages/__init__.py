"""Pages of the documentation that are generated, and pictures of a model."""
