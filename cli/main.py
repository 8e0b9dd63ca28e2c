"""The command ``replicheck``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from replicheck.cli.console.errors import Interrupted
from replicheck.cli.version import VERSION
from replicheck.invariants.catalogue.catalogue import Catalogue

COMMANDS: Mapping[str, tuple[str, str]] = {
    "bugs": ("catalogue.bugs", "list_bugs"),
    "check": ("check", "check"),
    "conform": ("conform", "conform"),
    "explore": ("explore", "explore"),
    "export": ("export", "export"),
    "fuzz": ("walks.fuzz", "fuzz"),
    "list": ("catalogue.list", "list_everything"),
    "mutants": ("mutants", "run_mutants"),
    "resume": ("resume", "resume"),
    "rules": ("catalogue.rules", "list_rules"),
    "show": ("catalogue.show", "show"),
    "simulate": ("walks.simulate", "simulate"),
    "trace": ("trace.group", "trace"),
}
"""For each command the module of `commands` that has it, and its name there.

A module is imported when its command is called: none waits for what others import.
"""


class Commands(click.Group):
    """The commands, imported when they are called or listed."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names of all commands."""
        return [*COMMANDS]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command, or None if there is none of this name."""
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name]
        command: click.Command = getattr(
            import_module(f"replicheck.cli.commands.{module}"), attribute
        )
        return command

    def invoke(self, context: click.Context) -> Any:
        """Run the command that is called.

        Raises:
            Interrupted: if Ctrl-C ended it, and it kept nothing itself.
        """
        try:
            return super().invoke(context)
        except KeyboardInterrupt as error:
            raise Interrupted from error


@click.group(cls=Commands)
@click.version_option(VERSION, message="replicheck %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Check Kafka's replication protocols: visit every state, judge each.

    Start with `replicheck list`, then `replicheck show replication`.
    """
    context.obj = context.obj or Catalogue.shipped()
