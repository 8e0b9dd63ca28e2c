"""Oracles of the other engines: slow and obviously right. The naive engine interprets
the model; the NumPy walk takes the learned tables without the compiled kernels.
"""
