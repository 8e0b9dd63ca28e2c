"""What a signal ends while random walks, and what makes a run short, are at work."""

from __future__ import annotations

import pytest

from replicheck.cli.commands.walks.walk_console import WalkConsole
from replicheck.cli.console.interrupts import Interrupts
from replicheck.explorer.engines.simulation.walk_progress import WalkProgress


def test_a_signal_ends_both() -> None:
    """Whichever is at work looks whether one came."""
    interrupts = Interrupts()
    console = WalkConsole(interrupts)
    progress = WalkProgress(walks=1, steps=1, distinct=1, seconds=0.0)
    try:
        console.watches.walks(progress)
        console.watches.shrinking()
        interrupts.came = True
        with pytest.raises(KeyboardInterrupt):
            console.watches.walks(progress)
        with pytest.raises(KeyboardInterrupt):
            console.watches.shrinking()
    finally:
        console.end()
