"""What models share: records, logs, znodes, replicas, directories and budgets."""
