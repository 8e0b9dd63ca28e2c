"""The command group ``replicheck trace``."""

from __future__ import annotations

import click

from replicheck.cli.commands.trace.explain import explain
from replicheck.cli.commands.trace.gallery import gallery
from replicheck.cli.commands.trace.replay import replay
from replicheck.cli.commands.trace.show import show


@click.group()
def trace() -> None:
    """Replay, draw, explain and convert the run that a file holds."""


trace.add_command(explain)
trace.add_command(gallery)
trace.add_command(replay)
trace.add_command(show)
