"""The cluster that does the tasks of the partitioned engine: Apache Spark."""
