"""The door for models of one's own: states, bounds, and what a model is made of.

A user's file imports it as ``replicheck.modelling``. It has defaults for everything
that a model need not say, and refuses what an engine could not explore, with the file
and line where it is.
"""
