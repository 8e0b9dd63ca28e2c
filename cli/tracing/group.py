"""The command group ``replicheck trace``."""

from __future__ import annotations

import click

from replicheck.cli.tracing.replay import replay


@click.group()
def trace() -> None:
    """Replay, draw, explain and convert the run that a file holds."""


trace.add_command(replay)
