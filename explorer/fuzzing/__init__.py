"""Fuzzing: walks that hypothesis draws, steers towards the rare, and shrinks."""
