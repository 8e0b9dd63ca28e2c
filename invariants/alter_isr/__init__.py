"""Sentences about AlterIsr, and the system that goes with them."""
