"""What the cells of each model mean to a reader of its runs."""
