"""Console of random walks: what they and their signals say on standard error."""

from __future__ import annotations

from functools import partial

import click

from replicheck.cli.console import start_notice
from replicheck.cli.console.interrupts import Interrupts
from replicheck.cli.console.start_notice import StartNotice
from replicheck.cli.runs.progress import COMPILING
from replicheck.explorer.engines.simulation.walk_progress import (
    WalkProgress,
    WalkWatches,
)

SHRINKING = "found a violation; looking for a shorter run to it, which Ctrl-C ends"


class WalkConsole:
    """Says what takes long, and ends it after a signal."""

    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self._compiling, self._shrinking = _notice(COMPILING), _notice(SHRINKING)
        self._is_shrinking = False
        self.watches = WalkWatches(self._watch_walks, self._watch_shrinking)

    def start(self) -> None:
        """Say what one waits for, unless a step is taken in a while."""
        self._compiling.start()

    def end(self) -> None:
        """Say nothing from now on."""
        self._compiling.cancel()
        self._shrinking.cancel()

    def _watch_walks(self, progress: WalkProgress) -> None:
        if progress.steps:
            self._compiling.cancel()
        self._interrupts.watch(progress)

    def _watch_shrinking(self) -> None:
        if not self._is_shrinking:
            self._is_shrinking = True
            self._compiling.cancel()
            self._shrinking.start()
        self._interrupts.watch(None)


def _notice(text: str) -> StartNotice:
    return StartNotice(partial(click.echo, text, err=True), start_notice.PATIENCE)
