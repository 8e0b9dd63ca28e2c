"""A saved trace with the model that it is of, as it is now."""
