"""Liveness as its definition has it, to compare the engine with."""
