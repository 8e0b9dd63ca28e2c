"""Kernels of liveness: edges, strongly connected components, runs through them."""
