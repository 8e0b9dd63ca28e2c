"""Liveness: what holds of runs that go on for ever, on the whole graph of a search.

A run is *fair* if it does not forever leave out what fairness demands. Every fair run
ends up in one component of the graph, visiting some of its states for ever; so a claim
about runs for ever is a claim about those components in which a fair run can stay.
"""
