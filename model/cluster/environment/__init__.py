"""Actions of the environment: administrators, failures, and what is lost on the way."""
