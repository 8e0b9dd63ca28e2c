"""A saved trace with the model that it is of, as it is now: whether its model, protocol
and property still exist, and whether smaller bounds are enough for it.
"""
