"""Values that hold a sequence, for tests of what is known of such."""
