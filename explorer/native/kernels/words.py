"""What all kernels use."""

from __future__ import annotations

import numpy as np
from numba import njit

NONE = np.uint64(0)
ONE = np.uint64(1)

compiled = njit(nogil=True)
inlined = njit(nogil=True, inline="always")
