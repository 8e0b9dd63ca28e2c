"""Trees, walked for a block of states: what instances do in them."""
