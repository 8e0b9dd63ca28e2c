"""The command ``replicheck``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from replicheck.cli.console import start_notice
from replicheck.cli.console.errors import (
    BrokenContract,
    Interrupted,
    OutOfMemory,
    SystemRefusal,
    Unavailable,
)
from replicheck.cli.console.start_notice import StartNotice
from replicheck.cli.version import VERSION
from replicheck.explorer.errors import frames_of, message_of, short_path
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.scenario import Scenario, Suite
from replicheck.traces.printable_text import printable_line

COMMANDS: Mapping[str, tuple[str, str]] = {
    "advise": ("questions.advise", "advise"),
    "bugs": ("catalogue.bugs", "list_bugs"),
    "check": ("check", "check"),
    "conform": ("conform", "conform"),
    "diff": ("questions.diff", "diff"),
    "explore": ("explore", "explore"),
    "export": ("export", "export"),
    "find": ("questions.find", "find"),
    "fuzz": ("walks.fuzz", "fuzz"),
    "list": ("catalogue.list", "list_catalogue"),
    "mutants": ("mutants", "run_mutants"),
    "new": ("new", "new"),
    "observe": ("observations.observe", "observe"),
    "resume": ("resume", "resume"),
    "rules": ("catalogue.rules", "list_rules"),
    "show": ("catalogue.show", "show"),
    "simulate": ("walks.simulate", "simulate"),
    "trace": ("trace.group", "trace"),
    "validate": ("observations.validate", "validate_observations"),
    "ways": ("questions.ways", "ways"),
}
"""For each command the module of `commands` that has it, and its name there.

A module is imported when its command is called: none waits for what others import.
"""
HELP_INSTEAD: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What a group raises that is called without a command: its help, in click 8.2 on."""
NO_THREAD = "can't start new thread"
"""What Python says where the system has no memory for the stack of a thread."""


@contextmanager
def clear_errors() -> Iterator[None]:
    """Context in which every error that a user can correct has one printable message.

    Raises:
        click.ClickException: with the message and the exit code.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted from error
    except HELP_INSTEAD:
        raise
    except click.ClickException as error:
        vars(error)["message"] = printable_line(error.message)
        raise
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:
            raise _missing(error) from error
        raise SystemRefusal(printable_line(_refusal(error))) from error
    except ImportError as error:
        raise _missing(error) from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != NO_THREAD:
            _refuse_error_of_model(error)
            raise
        raise OutOfMemory from error
    except BaseException as error:
        _refuse_error_of_model(error)
        raise


def _missing(error: Exception) -> Unavailable:
    """What is said of a library that cannot be loaded, most often for lack of memory.

    llvmlite says so by an error of the system without a number.
    """
    first = str(error).strip().partition("\n")[0]
    return Unavailable(
        printable_line(
            f"a library cannot be loaded: {first}; is there enough memory, and is"
            " replicheck installed as a whole?"
        )
    )


def _refuse_error_of_model(error: BaseException) -> None:
    """Refuse what a model raises where that is no answer of one of its functions.

    That is what would end the process, as `sys.exit` does, with a code of the model,
    and what a value raises where the engine hashes or compares it.

    Raises:
        BrokenContract: if a file of the user's raised it.
    """
    own = sys.modules.get("replicheck.invariants.catalogue.own.module_loading")
    *_, (file, line) = frames_of(error)
    if own is None or not own.is_named_file(Path(file)):
        return
    message = f"{message_of(error)} ({short_path(file)}:{line})"
    told = f"the model ends the search by {message}; raise an Exception"
    if isinstance(error, Exception):
        told = (
            f"the model raises {message} where the engine asks one of its values: let"
            " values be hashed, compared and printed without an error"
        )
    raise BrokenContract(printable_line(told)) from error


def _refusal(error: OSError) -> str:
    """What the system refuses, and which file or folder it is about, if it says so."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}"


class AnnouncedCatalogue(Catalogue):
    """Everything that a user can choose by name; slow loading is told of."""

    def load(self, reference: str) -> Scenario:
        """Scenario of a model of the user's own, which can be named from now on.

        Args:
            reference: ``FILE.py``, ``FILE.py:NAME`` or ``package.module:NAME``.

        Raises:
            ScenarioError: if there is no such model, or it cannot be explored.
        """
        with _told_if_slow(f"loading {reference} takes long: its code"):
            return super().load(reference)

    def read_suite_file(self, path: Path) -> Suite:
        """The suite in a user's file, which may name models of the user's own.

        Raises:
            ScenarioError: if it cannot be read, or is wrong.
        """
        with _told_if_slow(f"loading {path} takes long: the code of a model"):
            return super().read_suite_file(path)


@contextmanager
def _told_if_slow(begin: str) -> Iterator[None]:
    text = f"{begin}, or a function under @model.initial, has not ended so far"
    tell = partial(click.echo, printable_line(text), err=True)
    notice = StartNotice(tell, start_notice.PATIENCE)
    notice.start()
    try:
        yield
    finally:
        notice.cancel()


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

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context of a command line, whose errors can be printed."""
        with clear_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, context: click.Context) -> Any:
        """Run the command that is called.

        Raises:
            click.ClickException: with a message and the exit code.
        """
        with clear_errors():
            return super().invoke(context)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="replicheck %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Check Kafka's replication protocols: visit every state, judge each.

    Start with `replicheck list`, then `replicheck show replication`.
    """
    context.obj = context.obj or AnnouncedCatalogue.shipped()
