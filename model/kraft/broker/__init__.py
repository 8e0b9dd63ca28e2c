"""Brokers: they publish metadata, lead, follow, and ask for changes of the ISR."""
