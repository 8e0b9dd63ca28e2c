"""Hypothesis profiles, the same examples on every run or many new ones; a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import settings

from browser import PROGRAMS, Browser, started_browser

pytest_plugins = ["pytester"]

DEFAULT_EXAMPLES = 100

# No deadline: the first call of a compiled kernel takes seconds.
settings.register_profile(
    "ci", max_examples=DEFAULT_EXAMPLES, derandomize=True, deadline=None
)
settings.register_profile("nightly", max_examples=20 * DEFAULT_EXAMPLES, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium for all tests that look at pages, or skip them."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)} (Debian: chromium-driver)")
    with started_browser() as found:
        yield found
