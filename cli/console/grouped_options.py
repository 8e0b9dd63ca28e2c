"""Groups of options: a command takes each group as one frozen value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

from attrs import fields

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _GroupedCommand:
    """A command that is called with one value for each group of its options."""

    def __init__(self, command: Callable[..., Any]) -> None:
        self.groups: dict[str, type[Any]] = {}
        self._command = command
        update_wrapper(self, command)

    @classmethod
    def of(cls, command: Callable[..., Any]) -> _GroupedCommand:
        """The command itself, if it takes groups of options already."""
        return command if isinstance(command, cls) else cls(command)

    def __call__(self, *arguments: Any, **values: Any) -> None:
        grouped = {}
        for parameter, group in self.groups.items():
            names = [attribute.name for attribute in fields(group)]
            given = {name: values.pop(name) for name in names if name in values}
            grouped[parameter] = group(**given)
        self._command(*arguments, **values, **grouped)


def option_group(
    parameter: str, group: type[Any], options: Sequence[Decorator]
) -> Decorator:
    """Decorator that gives a command options, which it takes as one value.

    Args:
        parameter: the parameter of the command that takes the value.
        group: a frozen class with a field for each option; what is no option of the
            command has the default of its field.
        options: the decorators of the options, in the order of the help.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        grouped = _GroupedCommand.of(command)
        grouped.groups[parameter] = group
        decorated: Callable[..., Any] = grouped
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
