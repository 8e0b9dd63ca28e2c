"""Apache Spark as the one that does the tasks."""
