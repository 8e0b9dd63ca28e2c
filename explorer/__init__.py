"""Engines that visit the states of any model and judge its properties."""
