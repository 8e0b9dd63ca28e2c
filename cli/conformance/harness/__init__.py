"""The harness: a Java process with Kafka's replication layer, taken step by step.

Its sources are Scala, shared by all versions but for one file each; they are compiled
at first use, against jars that are fetched by their coordinates and checked by digest.
"""
