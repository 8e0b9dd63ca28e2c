"""The values of the cells: metadata, processes, partitions, requests, history."""
