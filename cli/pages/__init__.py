"""Pages of the documentation that are generated, and pictures of a model: the mutants,
the bugs of Kafka, the gallery, and what each action reads and writes.
"""
