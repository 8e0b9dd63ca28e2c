"""The state space walked by hand on a local page."""
