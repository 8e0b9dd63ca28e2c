"""Hostile inputs of every kind, which no command and no server may fall for."""
