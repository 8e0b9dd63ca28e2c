"""Carries tasks out: cache, shared searches, run folder, progress, traces on disk."""
