"""Annotations of cells, as far as it is certain which values they let be there."""
