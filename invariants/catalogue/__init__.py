"""Scenarios, suites, mutants, bugs and rules as values, read from TOML."""
