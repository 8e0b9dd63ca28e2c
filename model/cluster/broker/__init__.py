"""What a broker does: obey requests, lose log directories, and replicate."""
