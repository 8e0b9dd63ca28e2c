"""A model as text for Spin."""
