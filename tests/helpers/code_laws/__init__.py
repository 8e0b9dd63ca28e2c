"""Laws of the layout and of names that the source of every folder has to obey."""
