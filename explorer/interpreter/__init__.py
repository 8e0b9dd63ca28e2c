"""A model run as plain Python, one step at a time: call a function, name a step and
take it, judge a state or a step. The oracle, replay, shrinking, the state browser and
the shipped scenarios step through models with this and nothing else.
"""
