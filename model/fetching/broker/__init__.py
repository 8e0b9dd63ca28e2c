"""A broker that leads and serves: requests of fetchers, LeaderAndIsr, StopReplica,
start and stop.
"""
