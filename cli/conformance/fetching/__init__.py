"""The model `fetching` and the harness: steps as calls, states in one normal form."""
