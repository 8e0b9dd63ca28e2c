"""The kernels of the visited set."""
