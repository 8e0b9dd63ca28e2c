"""Loops over sets of messages, each with a value that it is about."""
