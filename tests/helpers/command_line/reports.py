"""A run with an entry of each kind, and its reports."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

import toys
from replicheck.cli.main import main

ENTRY = '[[check]]\nscenario = "counter"\n'


EVERYTHING = (
    ENTRY,
    ENTRY + 'protocol = "dead"\n',
    ENTRY + 'invariants = ["is_below_two"]\n',
    ENTRY + 'protocol = "raising"\n',
    ENTRY + "limits = { depth = 2 }\n",
    ENTRY + 'invariants = ["is_below_two"]\nbounds = { limit = 2 }\n',
)
"""One entry for each verdict, and a second violation of one property."""


def check(*options: str, entries: tuple[str, ...] = EVERYTHING) -> Result:
    """Check a suite of these entries."""
    Path("mine.toml").write_text("\n".join(entries), "utf-8")
    arguments = ["check", "mine.toml", *options]
    return CliRunner().invoke(main, arguments, obj=toys.catalogue())
