"""Commands that answer a question about a scenario with runs."""
