"""Answers of the page of ``replicheck explore``."""

from __future__ import annotations

from typing import Any

from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.task import Overrides, tasks
from shipped import CATALOGUE


def answers_of(name: str, **changed: Any) -> BrowserApi:
    """The answers on a shipped scenario."""
    (task,) = tasks(CATALOGUE, (name,), Overrides(DEFAULT_ENGINE, **changed))
    return BrowserApi.of(task)
