"""Plain runs: functions from which a search learns no more."""
