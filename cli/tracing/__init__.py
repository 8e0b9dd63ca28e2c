"""``replicheck trace``: what can be done with a saved run."""
