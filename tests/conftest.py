"""Hypothesis profiles: the same examples on every run, or many new ones."""

from __future__ import annotations

import os

from hypothesis import settings

DEFAULT_EXAMPLES = 100

# No deadline: the first call of a compiled kernel takes seconds.
settings.register_profile(
    "ci", max_examples=DEFAULT_EXAMPLES, derandomize=True, deadline=None
)
settings.register_profile("nightly", max_examples=20 * DEFAULT_EXAMPLES, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
