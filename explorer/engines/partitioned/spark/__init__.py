"""Apache Spark as the runner that does the tasks: its session, the processes that it
forks workers from, and an archive of its Java classes for a faster start.
"""
