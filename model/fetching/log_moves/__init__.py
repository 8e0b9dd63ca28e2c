"""Moves of logs between the directories of a broker (KIP-113)."""
