"""Hypothesis profiles, and fixtures of several folders: current directory, browser."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from browser import PROGRAMS, Browser, started_browser
from command_line.own_models import example_in
from random_models.example_counts import IN_CI

pytest_plugins = ["pytester"]

# A script's shell has what it starts in the background ignore Ctrl-C, and so all that
# this starts, some of which tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: the first call of a compiled kernel takes seconds.
settings.register_profile("ci", max_examples=IN_CI, derandomize=True, deadline=None)
settings.register_profile("nightly", max_examples=50 * IN_CI, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session", autouse=True)
def _quick_disk() -> Iterator[None]:
    """Do not wait for the disk in this process: no test takes its power away."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium for all tests that look at pages, or skip them."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)} (Debian: chromium-driver)")
    with started_browser() as found:
        yield found


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where files may be written."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder with an example, which is the current one."""
    with example_in(tmp_path, monkeypatch):
        yield tmp_path
