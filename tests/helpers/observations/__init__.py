"""Observations of runs of the models, in place of the logs of clusters."""
