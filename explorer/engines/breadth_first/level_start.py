"""The start of a level: what a search had found when it began with it."""

from __future__ import annotations

from typing import NamedTuple

from replicheck.explorer.engines.breadth_first.other_violations import OthersSnapshot
from replicheck.explorer.search.bookkeeping import SearchSnapshot
from replicheck.explorer.search.guard_coverage import SampleContent


class LevelStart(NamedTuple):
    """What a search had found when it began with the level at work.

    ``sample`` has the rows and the fingerprints of the states in which guards are
    counted.
    """

    snapshot: SearchSnapshot
    sample: SampleContent
    others: OthersSnapshot
