"""Memory of a long-running program: what it may take, and arrays that grow in place."""
