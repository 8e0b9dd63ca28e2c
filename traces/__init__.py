"""A trace in all its forms."""
