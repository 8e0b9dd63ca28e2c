"""The commands that walk at random through a scenario, and the options they share."""
