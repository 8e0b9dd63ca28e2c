"""A trace as one HTML file that needs nothing else."""
