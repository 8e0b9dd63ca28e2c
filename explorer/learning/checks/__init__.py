"""Checks of what was learned: against runs on plain states, and of plain states."""
