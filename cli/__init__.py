"""The command line: the only place that knows all the packages."""
