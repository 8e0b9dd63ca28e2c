"""Machine code without a compiler at hand: a kernel is compiled once, cached as object
code, and called with arrays.
"""
