"""Values that hold a sequence, such as queues: where they are in a tree, and what
operations at its ends make of them.
"""
