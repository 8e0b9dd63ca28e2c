"""Traces of models with named tuples, ids and flags: what is read equals the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.own_models import run
from replicheck.cli.console.exit_codes import ExitCode

HEAD = """\
from collections.abc import Iterator
from enum import Flag, IntFlag, auto
from typing import NamedTuple

from replicheck.modelling import Bounds, Id, Model, State, bound


class Size(Bounds):
    nodes: int = bound(2)


class Node(Id):
    def label(self) -> str:
        return f"n{int(self)}"


class Ping(NamedTuple):
    node: Node


class Right(Flag):
    READ = auto()
    WRITE = auto()


"""
SENT = (
    HEAD
    + """\
class Mail(State):
    sent: frozenset[Ping]
    text: str


model = Model("mail", Size, {Node: "nodes"})


@model.initial
def nothing(size: Size) -> Mail:
    return Mail(frozenset(), "")


@model.action
def send(s: Mail, node: Node) -> Iterator[Mail]:
    if not s.sent:
        yield s.evolve(sent=s.sent | {Ping(node)})


@model.action
def receive(s: Mail) -> Iterator[Mail]:
    for message in sorted(s.sent):
        if isinstance(message, Ping):
            yield s.evolve(text=message.node.label())


@model.always
def is_unread(s: Mail) -> bool:
    return s.text == ""
"""
)
RIGHTS = (
    HEAD
    + """\
class Rights(State):
    rights: Right


model = Model("rights", Size, {})


@model.initial
def none(size: Size) -> Rights:
    return Rights(Right(0))


@model.action
def grant(s: Rights, right: Right) -> Iterator[Rights]:
    yield s.evolve(rights=s.rights | right)


@model.always
def is_not_all(s: Rights) -> bool:
    return s.rights != Right.READ | Right.WRITE
"""
)


def checked(folder: Path, text: str, *options: str) -> tuple[str, Path]:
    """What a check of a model prints, and the file of its run."""
    (folder / "values_of_traces.py").write_text(text, "utf-8")
    found = run("check", "values_of_traces.py", "--no-cache", *options)
    assert found.exit_code == ExitCode.INVARIANT, found.stderr
    (file,) = (folder / "counterexamples").glob("*.jsonl")
    return found.stdout, file


def test_a_run_with_named_tuples_and_ids_is_explained_as_it_was_found(
    folder: Path,
) -> None:
    """From each state on, a message arrives."""
    found, file = checked(folder, SENT)
    explained = run("trace", "explain", str(file), "--model", "values_of_traces.py")
    assert explained.exit_code == 0
    assert "Avoidable  never: every run from state 1" in found
    assert "Not avoidable: every run from the first state" in explained.stdout


@pytest.mark.parametrize("head", ["Right(Flag)", "Right(IntFlag)"])
@pytest.mark.parametrize("options", [(), ("--full",), ("--engine", "naive")])
def test_a_run_with_flags_is_saved(
    folder: Path, options: tuple[str, ...], head: str
) -> None:
    """With none of them, and with several."""
    text = RIGHTS.replace("Right(Flag)", head)
    _, file = checked(folder, text, *options)
    again = run("trace", "replay", str(file), "--model", "values_of_traces.py")
    assert again.exit_code == ExitCode.INVARIANT
    assert "still violates: state 3 breaks is_not_all" in again.stdout


@pytest.mark.parametrize("form", ["dot", "graphml", "promela"])
def test_flags_are_exported(folder: Path, form: str) -> None:
    """By their names."""
    checked(folder, RIGHTS)
    found = run("export", "values_of_traces.py", "--format", form)
    assert found.exit_code == 0, found.stderr
