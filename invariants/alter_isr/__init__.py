"""Properties of AlterIsr, and the system that goes with them."""
