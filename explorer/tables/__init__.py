"""The learned next-state relation: values as small numbers, memo tables of queries and
operations, a decision tree for each action, laid out as arrays.
"""
