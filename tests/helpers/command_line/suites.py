"""Suites of the toys, checked in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import toys
from replicheck.cli.main import main

ENTRY = '[[check]]\nscenario = "counter"\n'


HOLDS = ENTRY + 'witnesses = []\nexpect = { verdict = "holds" }\n'


BREAKS = ENTRY + (
    'invariants = ["is_below_two"]\nwitnesses = []\n'
    'expect = { verdict = "violated", violations = { is_below_two = 2 } }\n'
)


def check(*arguments: str) -> Result:
    """Check the suite of the counters in ``mine.toml``."""
    return CliRunner().invoke(
        main, ["check", "mine.toml", *arguments], obj=toys.catalogue()
    )


def suite(*entries: str) -> None:
    """Write the suite."""
    Path("mine.toml").write_text("\n".join(entries), "utf-8")


def results(*arguments: str) -> list[dict[str, Any]]:
    """The results of the suite from its JSON report."""
    found: list[dict[str, Any]] = json.loads(check(*arguments, "--json", "-").stdout)[
        "results"
    ]
    return found
