"""Reports of a run for others than a person at a terminal."""
