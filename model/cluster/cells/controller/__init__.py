"""Variables in the memory of a controller: its context, its events, its tasks."""
