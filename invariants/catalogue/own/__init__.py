"""Models and properties of a user's own: how they are named, loaded and known."""
