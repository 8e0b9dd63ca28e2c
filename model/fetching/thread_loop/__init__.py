"""What a fetcher thread does in one round: truncate, fetch, and correct an offset
out of range.
"""
