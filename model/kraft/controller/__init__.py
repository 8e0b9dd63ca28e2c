"""The active controller: each event computes the next image of the metadata."""
