"""Properties of the cluster by what they are about, one module for each subject."""
