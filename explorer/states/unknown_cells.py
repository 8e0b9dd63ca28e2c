"""Unknown cells: what is wrong with a name under which `evolve` writes."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from types import FrameType

from replicheck.explorer.errors import ModelError, short_path
from replicheck.explorer.states.layout import Cell, Layout


def no_such_cell(layout: Layout, cell: Cell) -> ModelError:
    """Error about a write to a cell that no state has, where a function asks for it."""
    error = ModelError(f"`evolve` names {cell}, {_problem(layout, cell)}")
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name == "evolve":
        frame = frame.f_back
    if frame is not None:
        error.place = f"{short_path(frame.f_code.co_filename)}:{frame.f_lineno}"
    return error


def _problem(layout: Layout, cell: Cell) -> str:
    """What is wrong with it, and what to write."""
    name, kind = cell.field, layout.state_class.__name__
    if name in layout.constants:
        return "a constant of the state, which no step can write"
    alike = [known for known in layout.cells if known.field == name]
    if alike:
        return f"and no state has it: `{name}` has {alike[0]} to {alike[-1]}"
    found = getattr(layout.state_class, name, None)
    if found is not None and not callable(found) and not isinstance(found, property):
        type_name = type(found).__name__
        return (
            f"which is no field of {kind}, as it has no annotation: write `{name}:"
            f" {type_name} = …` in the class"
        )
    fields = list(dict.fromkeys(known.field for known in layout.cells))
    nearest = get_close_matches(name, fields, 1, 0.5)
    known = f"did you mean {nearest[0]}?" if nearest else f"it has {', '.join(fields)}"
    return f"and no state has it; {known}"
