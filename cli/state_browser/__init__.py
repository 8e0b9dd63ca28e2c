"""The state space walked by hand on a local page: a loopback server, the questions that
the page asks it, and the verdicts of the properties on one state.
"""
