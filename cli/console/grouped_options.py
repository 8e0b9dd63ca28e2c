"""Groups of options: a command takes each group as one frozen value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

GROUPS = "option_groups"
"""Attribute of a command's function: the class of each group by its parameter."""


class GroupedCommand(click.Command):
    """A command whose function takes one value for each group of its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, and make each group of options one value."""
        rest = super().parse_args(ctx, args)
        for parameter, group in getattr(self.callback, GROUPS, {}).items():
            given = {
                name: ctx.params.pop(name)
                for name in group._fields
                if name in ctx.params
            }
            ctx.params[parameter] = group(**given)
        return rest


def option_group(
    parameter: str, group: type[Any], options: Sequence[Decorator]
) -> Decorator:
    """Decorator that gives a `GroupedCommand` options, which it takes as one value.

    Args:
        parameter: the parameter of the command that takes the value.
        group: a named tuple with a field for each option; what is no option of the
            command has the default of its field.
        options: the decorators of the options, in the order of the help.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        vars(command).setdefault(GROUPS, {})[parameter] = group
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
