"""Steps that are taken together, each with the argument why no behaviour is lost."""
