"""A run as the values of which a page is made: numbers, texts, lists and objects.

Every value is noted as in a counterexample; the page adds no knowledge of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from replicheck.explorer.report import Step, Trace
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.traces.describer import Describer, Strip
from replicheck.traces.formats.repetition import Repetition
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.html.message_flights import message_flights
from replicheck.traces.state_diff import Change, changes
from replicheck.traces.value_text import fields_of, in_order, is_record, note, note_cell


def run_content(
    trace: Trace[Any],
    describer: Describer,
    glossary: Glossary,
    repetition: Repetition | None = None,
) -> dict[str, Any]:
    """All of a run that a page shows.

    ``steps[0]`` is the initial state; ``changes`` name cells by their number, and say
    what is old and new part by part. ``repetition`` is what the run does for ever, with
    the number of the step behind which it begins.
    """
    layout = Layout.of(trace.start)
    used = {step.action for step in trace.steps} & glossary.actions.keys()
    return {
        "lanes": describer.lanes(trace.start),
        "cells": [_cell(cell, describer) for cell in layout.cells],
        "initial": [note_cell(value) for value in layout.values(trace.start)],
        "flights": message_flights(trace, describer),
        "steps": [_start(trace, describer), *_steps(layout, trace, describer)],
        "repetition": repetition
        and {"begin": repetition.state - 1, "text": repetition.text},
        "actions": {name: attrs.asdict(glossary.actions[name]) for name in used},
        "rules": {
            name: attrs.asdict(rule) for name, rule in glossary.rules_of(used).items()
        },
    }


def change_content(layout: Layout, change: Change) -> dict[str, Any]:
    """A change: the number of the cell, its new value, and what differs."""
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
        for cell in before:
            if before[cell] != after[cell]:
                yield from parts(before[cell], after[cell], f"{name} {cell}".strip())
    elif _are_alike(old, new):
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                yield from parts(before, after, f"{name}[{number}]")
    elif isinstance(old, tuple | frozenset) and type(old) is type(new):
        gone, come = _difference(old, new)
        yield name, gone, come
    else:
        yield name, note(old), note(new)


def _are_alike(old: Any, new: Any) -> bool:
    """Tell whether both are sequences of as many records of the same kinds."""
    if not (isinstance(old, tuple) and isinstance(new, tuple)):
        return False
    kinds = [[type(value) for value in values] for values in (old, new)]
    return kinds[0] == kinds[1] and all(map(is_record, old))


def _difference(old: Any, new: Any) -> tuple[str, str]:
    """Elements that went and that came; whole where they are numbers or moved."""
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
    """Elements in short, each with the name of its class if it is a record."""
    return ", ".join(
        f"{type(value).__name__} {note(value)}" if is_record(value) else note(value)
        for value in values
    )


def _cell(cell: Cell, describer: Describer) -> dict[str, Any]:
    name = str(cell)
    return {
        "name": name,
        "family": cell.field,
        "lane": describer.lane_of_cell(name),
    }


def _start(trace: Trace[Any], describer: Describer) -> dict[str, Any]:
    return {
        "label": "initial state",
        "isFault": False,
        "action": None,
        "actor": None,
        "messages": [],
        "changes": [],
        "strips": _strips(trace.start, describer),
    }


def _steps(
    layout: Layout, trace: Trace[Any], describer: Describer
) -> Iterator[dict[str, Any]]:
    before = trace.start
    for step in trace.steps:
        changed = changes(layout, before, step.state)
        yield {
            **_step(changed, layout, step, describer),
            "isFault": describer.is_fault(step.action, before, step.state),
        }
        before = step.state


def _step(
    changed: Sequence[Change], layout: Layout, step: Step[Any], describer: Describer
) -> dict[str, Any]:
    names = [str(change.cell) for change in changed]
    told = describer.messages(step.action, step.arguments, names)
    return {
        "label": step.label,
        "action": step.action,
        "actor": describer.actor(step.action, step.arguments),
        "messages": [
            {"source": message.source, "target": message.target} for message in told
        ],
        "changes": [change_content(layout, change) for change in changed],
        "strips": _strips(step.state, describer),
    }


def _strips(state: Any, describer: Describer) -> list[dict[str, Any]]:
    return [_strip(strip) for strip in describer.strips(state)]


def _strip(strip: Strip) -> dict[str, Any]:
    return {
        "name": strip.name,
        "lane": strip.lane,
        "end_offset": strip.end_offset,
        "high_watermark": strip.high_watermark,
        "marks": strip.marks,
        "runs": [
            {"epoch": run.epoch, "start": run.start, "records": run.records}
            for run in strip.runs
        ],
    }
