"""Proxies of sets that are split where each element has a column of its own."""
