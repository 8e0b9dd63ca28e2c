"""Random walks over the learned tables, many side by side."""
