"""The commands that say what there is: suites and scenarios, one scenario with its
actions and properties, the rules of Kafka, and the bugs that Kafka had.
"""
