"""What sessions of conformance found, as lines, as JSON, and as an exit code."""
