"""A run as the values of which a page is made: numbers, texts, lists and objects.

Every value of a cell is noted as in a story; the page adds no knowledge of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from replicheck.explorer.cells import Cell, Layout
from replicheck.explorer.report import Step, Trace
from replicheck.traces.changes import Change, changes
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.lanes import actor, lanes, lanes_of, messages
from replicheck.traces.notation import fields_of, in_order, is_record, note, note_cell
from replicheck.traces.strips import strips


def run_content(trace: Trace[Any], glossary: Glossary) -> dict[str, Any]:
    """Return everything of a run that a page shows.

    ``steps[0]`` is the initial state; ``changes`` name cells by their number, and say
    what is old and new part by part.
    """
    layout = Layout.of(trace.start)
    used = {each.action for each in trace.steps}
    return {
        "lanes": lanes(layout),
        "cells": [_cell(each) for each in layout.cells],
        "initial": [note_cell(each) for each in layout.values(trace.start)],
        "steps": [_start(layout, trace.start), *_steps(layout, trace)],
        "actions": {
            name: attrs.asdict(each)
            for name, each in glossary.actions.items()
            if name in used
        },
        "rules": {
            name: attrs.asdict(glossary.rules[name])
            for name in _rules_of(used, glossary)
        },
    }


def change_content(layout: Layout, change: Change) -> dict[str, Any]:
    """Return a change: the number of the cell, its new value, and what differs."""
    return {
        "cell": layout.columns[change.cell],
        "new": note_cell(change.new),
        "parts": [
            {"name": name, "old": old, "new": new}
            for name, old, new in parts(change.old, change.new)
        ],
    }


def parts(old: Any, new: Any, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield what differs between two values as name, old and new, field by field.

    Of a set or a sequence only the elements that went (old) or came (new).
    """
    if is_record(old) and type(old) is type(new):
        before, after = fields_of(old), fields_of(new)
        for each in before:
            if before[each] != after[each]:
                yield from parts(before[each], after[each], f"{name} {each}".strip())
    elif isinstance(old, tuple | frozenset) and type(old) is type(new):
        gone, come = _difference(old, new)
        yield name, gone, come
    else:
        yield name, note(old), note(new)


def _difference(old: Any, new: Any) -> tuple[str, str]:
    """Return what went and what came; whole where elements are numbers or moved."""
    if isinstance(old, frozenset) and not all(isinstance(x, int) for x in old | new):
        return _listed(in_order(old - new)), _listed(in_order(new - old))
    if isinstance(old, tuple):
        end, ahead = min(len(old), len(new)), max(len(old) - len(new), 0)
        if old[:end] == new[:end]:
            return _listed(old[end:]), _listed(new[end:])
        if old[ahead:] == new:
            return _listed(old[:ahead]), ""
    return note(old), note(new)


def _listed(values: Any) -> str:
    """Return elements in short, each with the name of its class if it is a record."""
    return ", ".join(
        f"{type(each).__name__} {note(each)}" if is_record(each) else note(each)
        for each in values
    )


def _cell(cell: Cell) -> dict[str, Any]:
    return {"name": str(cell), "family": cell.field, "lanes": lanes_of(cell)}


def _start(layout: Layout, state: Any) -> dict[str, Any]:
    return {"label": "initial state", "strips": _strips(layout, state)}


def _steps(layout: Layout, trace: Trace[Any]) -> Iterator[dict[str, Any]]:
    before = trace.start
    for step in trace.steps:
        yield _step(layout, before, step)
        before = step.state


def _step(layout: Layout, before: Any, step: Step[Any]) -> dict[str, Any]:
    changed = changes(layout, before, step.state)
    told = messages(step.action, step.arguments, [each.cell for each in changed])
    return {
        "label": step.label,
        "action": step.action,
        "actor": actor(step.arguments),
        "messages": [attrs.asdict(each) for each in told],
        "changes": [change_content(layout, each) for each in changed],
        "strips": _strips(layout, step.state),
    }


def _strips(layout: Layout, state: Any) -> list[dict[str, Any]]:
    return [attrs.asdict(each) for each in strips(layout, state)]


def _rules_of(actions: set[str], glossary: Glossary) -> list[str]:
    known = [glossary.actions[each] for each in actions if each in glossary.actions]
    return sorted({rule for each in known for rule in each.rules} & {*glossary.rules})
