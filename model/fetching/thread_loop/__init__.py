"""What a fetcher thread does in one round: truncate, fetch, and mend an offset out of
range.
"""
