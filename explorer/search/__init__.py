"""What every search by levels keeps, on one machine or many: decided properties, parent
pointers, counts, coverage.
"""
