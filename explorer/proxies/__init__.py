"""Proxies that stand for a state while one of the model's functions runs, and report
every read and write.
"""
