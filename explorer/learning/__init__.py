"""Fills the tables: runs the model's Python functions on proxies where a tree has no
answer yet, and checks that they are functions of the state.
"""
