"""Calls for loops: a set is asked for the items with which a loop does anything."""

from __future__ import annotations

import sys
from enum import Enum
from types import CodeType, FrameType
from typing import Any

import attrs

from replicheck.explorer.proxies.calls import Call, QuestionRaised
from replicheck.explorer.proxies.loops.loop_filter import LoopFilter, loop_filter
from replicheck.explorer.proxies.loops.loop_syntax import Instruction, instruction_at
from replicheck.explorer.proxies.loops.withheld import Withheld
from replicheck.explorer.proxies.proxy import Proxy, unwrap_arguments
from replicheck.explorer.states.value_parts import FILTERED

SHARED_NAMES_CRASH = (3, 13) <= sys.version_info < (3, 13, 3)
"""Whether to look up names of a function, of which some are those of functions within
it, may end the process: see issue 128396 of github.com/python/cpython."""
_FILTERS: dict[
    tuple[CodeType, Instruction, int], tuple[dict[str, Any], LoopFilter | None]
] = {}
"""Filters by code, instruction and identity of the global names, which are kept."""


def call_of_loop(frame: FrameType) -> Call | None:
    """The call that a loop is about which begins now.

    None if it is not known with which items it does anything.

    Args:
        frame: where a set is iterated.
    """
    names = frame.f_globals
    instruction = instruction_at(frame.f_code, frame.f_lasti)
    key = (frame.f_code, instruction, id(names))
    if key not in _FILTERS:
        _FILTERS[key] = (names, loop_filter(frame.f_code, instruction, names))
    _, keeps = _FILTERS[key]
    if keeps is None or (SHARED_NAMES_CRASH and has_shared_names(frame.f_code)):
        return None
    try:
        own = {name: frame.f_locals[name] for name in keeps.names}
        if not all(map(_is_lasting, own.values())):
            return None
        found = tuple(eval(outside, names, own) for outside in keeps.outside)
        iterated = [eval(inside, names, own) for inside in keeps.iterated]
        if not all(hasattr(value.__class__, "__iter__") for value in iterated):
            return None
        values = tuple(map(_as_argument, found))
        if _has_state(values) or not _is_lasting(values):
            return None
        call = (FILTERED, (keeps, *unwrap_arguments(values)))
        hash(call)
    except (Exception, QuestionRaised):
        return None
    return call


def has_shared_names(code: CodeType) -> bool:
    """Tell whether a function has names that one within it, or around it, reads."""
    return bool(code.co_cellvars or code.co_freevars)


def does_sort(frame: FrameType) -> bool:
    """Tell whether the loop that begins in a frame is over what `sorted` gives."""
    return not instruction_at(frame.f_code, frame.f_lasti).begins_loop


def _as_argument(value: Any) -> Any:
    """What a filter is given for a value."""
    if _has_set(value):
        return Withheld.SET
    return frozenset(value) if type(value) is set else value


def _has_set(value: Any) -> bool:
    """Tell whether a cell with a set is in a value, of which all would be read."""
    kind: Any = type(value)
    if issubclass(kind, tuple):
        return any(map(_has_set, value))
    return issubclass(kind, Proxy) and value.has_set_


def _is_lasting(value: Any) -> bool:
    """Tell whether nothing that a loop does changes a value."""
    kind: Any = type(value)
    if issubclass(kind, Proxy | bool | bytes | float | int | str | Enum | type):
        return True
    if issubclass(kind, tuple | frozenset):
        return all(map(_is_lasting, value))
    if attrs.has(kind) and kind.__setattr__ is not object.__setattr__:
        fields = [field.name for field in attrs.fields(kind)]
        return all(_is_lasting(getattr(value, name)) for name in fields)
    return value is None


def _has_state(value: Any) -> bool:
    """Tell whether there is a state in a value, of which all would be read."""
    kind: Any = type(value)
    if issubclass(kind, tuple | frozenset):
        return any(map(_has_state, value))
    return issubclass(kind, Proxy) and kind.is_state_
