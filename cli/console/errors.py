"""Errors that end the command with a message and a code."""

from __future__ import annotations

import click

from replicheck.cli.console.exit_codes import ExitCode


class BadInput(click.ClickException):
    """A scenario, a trace or a checkpoint cannot be used."""

    exit_code = ExitCode.BAD_INPUT


class Interrupted(click.ClickException):
    """Ctrl-C ended a command that has nothing to show for it yet."""

    exit_code = ExitCode.INCOMPLETE

    def __init__(self) -> None:
        super().__init__("interrupted")


class BrokenContract(click.ClickException):
    """The model breaks the contract of the explorer."""

    exit_code = ExitCode.MODEL_ERROR


class Unavailable(click.ClickException):
    """What a command needs besides Python is not there, and cannot be fetched."""

    exit_code = ExitCode.UNAVAILABLE


class SystemRefusal(click.ClickException):
    """The system refuses a file, a folder or a socket that a command needs."""

    exit_code = ExitCode.USAGE


class OutOfMemory(click.ClickException):
    """There is not enough memory for what a command does."""

    exit_code = ExitCode.INCOMPLETE

    def __init__(self) -> None:
        super().__init__("out of memory; lower the bounds, or give it more")
