"""Walks that are drawn as bytes, steered to the rare, and shrunk together with the
bounds of the model.
"""
