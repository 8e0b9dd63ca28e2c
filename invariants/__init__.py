"""Sentences about a state of the model, and the scenarios that judge them."""
