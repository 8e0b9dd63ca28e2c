"""What driver and workers send one another, and the numbers and paths that all of them
understand.
"""
