"""Reduced searches of shipped scenarios have the states that decision 9 says."""

from __future__ import annotations

import json
import re

import pytest

from checkout import DOCS
from command_line.own_models import run

PAGE = DOCS / "decisions" / "0009-which-steps-are-enough.md"
ROW = re.compile(r"^\| `([\w-]+)` \| (holds|violated) \| ([\d,]+) \| ([\d,]+) \|", re.M)
ROWS = ROW.findall(PAGE.read_text("utf-8"))
FAST = {"topic-deleted-with-disk-offline", "leader-disk-fails", "alter-isr"}
AT_ONCE = ("--reduce", "--reduce-beyond", "0", "--all-violations", "--no-cache")


@pytest.mark.parametrize(
    ("name", "verdict", "whole", "states"),
    [
        pytest.param(*row, id=row[0], marks=() if row[0] in FAST else pytest.mark.slow)
        for row in ROWS
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_steps_are_left_out_as_the_decision_says(
    name: str, verdict: str, whole: str, states: str
) -> None:
    """Fewer states would be as wrong as more."""
    found = run("check", name, *AT_ONCE, "--threads", "1", "--json", "-")
    (result,) = json.loads(found.stdout)["results"]
    assert (result["verdict"], f"{result['states']:,}") == (verdict, states)
    assert int(states.replace(",", "")) < int(whole.replace(",", ""))


def test_all_rows_are_read() -> None:
    """Of the table of scenarios, the fast ones among them."""
    assert len(ROWS) == 17
    assert {row[0] for row in ROWS} > FAST
