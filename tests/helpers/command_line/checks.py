"""``replicheck check`` of the toys, in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import toys
from replicheck.cli.main import main

UP = '[[check]]\nscenario = "counter"\n'


def check(*arguments: str) -> Result:
    """Run `replicheck check` with the counters as the only scenario."""
    return CliRunner().invoke(main, ["check", *arguments], obj=toys.catalogue())


def check_suite(*lines: str) -> Result:
    """Check a suite of one counter, with these lines added to its entry."""
    Path("mine.toml").write_text(UP + "\n".join(lines), "utf-8")
    return check("mine.toml")


def report_of(*arguments: str) -> dict[str, Any]:
    """The only result of the JSON report."""
    done = check(*arguments, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    assert isinstance(result, dict)
    return result
