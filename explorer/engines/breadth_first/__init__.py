"""One machine, all cores; past the memory budget on disk; checkpoints."""
