"""Steps of a model as steps of the abstract partition, or as none."""
