"""The values of the cluster's cells: what can be asked of them, and how they change."""
