"""Walks that are drawn as bytes, and shrunk together with the
bounds of the model.
"""
