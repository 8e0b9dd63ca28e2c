"""Runs in the Informal Trace Format, which Apalache and Quint write and viewers read.

A family of cells is a function from its index, ``#map``; a record and an enumerated
value are variants with the name of their class as ``tag``; None is the variant
``Nothing``. Besides the cells, each state has ``action_taken`` and ``nondet_picks``:
how it was reached, the parameters as pairs, ``#tup``. ``loop`` is the number of the
state that follows the last one, where a run repeats for ever.

Source: Apalache's ADR-015.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

import attrs

from replicheck.explorer.report import Step, Trace
from replicheck.explorer.states.layout import Layout
from replicheck.traces.json_lines import SavedTrace
from replicheck.traces.value_json import EncodingError
from replicheck.traces.value_text import fields_of, in_order

ACTION, PICKS = "action_taken", "nondet_picks"
UNIT = "U_OF_UNIT"
DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf(saved: SavedTrace) -> str:
    """A saved run as the text of an ``.itf.json`` file."""
    header = saved.header
    layout = Layout.of(saved.trace.start)
    cells = list(dict.fromkeys(cell.field for cell in layout.cells))
    document: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            "format-description": DESCRIPTION,
            "source": header.title(),
            "status": "violation" if header.kind else "ok",
            "description": header.instance or header.scenario,
        },
        "params": [],
        "vars": [*cells, ACTION, PICKS],
        "states": list(_states(saved.trace, cells)),
    }
    if header.loop is not None:
        # Behind the last state, which is that of the loop's begin, comes the next one.
        document["loop"] = min(header.loop + 1, len(saved.trace.steps))
    return json.dumps(document, indent=1) + "\n"


def itf_value(value: Any) -> Any:
    """A value as ITF has it.

    Raises:
        EncodingError: if the value holds something else than a state may hold.
    """
    match value:
        case None:
            return _variant("Nothing", UNIT)
        case bool() | str():
            return value
        case Enum():
            return _variant(type(value).__name__, value.name or "none")
        case int():
            return {"#bigint": str(value)}
        case tuple():
            return [itf_value(element) for element in value]
        case frozenset():
            return {"#set": [itf_value(element) for element in in_order(value)]}
    if attrs.has(type(value)):
        inside = fields_of(value)
        fields = {name.lstrip("_"): itf_value(part) for name, part in inside.items()}
        return _variant(type(value).__name__, fields or UNIT)
    raise EncodingError(f"{value!r} of type {type(value).__name__} has no ITF form")


def _states(trace: Trace[Any], cells: Iterable[str]) -> Iterator[dict[str, Any]]:
    names = list(cells)
    steps: list[Step[Any] | None] = [None, *trace.steps]
    for index, (state, step) in enumerate(zip(trace.states, steps, strict=True)):
        yield {
            "#meta": {"index": index},
            **{name: _field(getattr(state, name)) for name in names},
            ACTION: "init" if step is None else step.action,
            PICKS: _picks({} if step is None else step.arguments),
        }


def _field(value: Any) -> Any:
    """A field of a state: a family, nested ones included, or a cell."""
    if not isinstance(value, tuple):
        return itf_value(value)
    return {
        "#map": [[itf_value(i), _field(element)] for i, element in enumerate(value)]
    }


def _picks(arguments: Mapping[str, Any]) -> Any:
    pairs = [
        {"#tup": [name, itf_value(argument)]} for name, argument in arguments.items()
    ]
    return {"#tup": pairs}


def _variant(tag: str, value: Any) -> dict[str, Any]:
    return {"tag": tag, "value": value}
