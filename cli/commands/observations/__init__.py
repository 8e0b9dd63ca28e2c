"""``replicheck observe`` and ``replicheck validate``: logs of real clusters."""
