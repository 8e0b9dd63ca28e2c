"""Calls for loops: a set is asked for the items with which a loop does anything."""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Any

from replicheck.explorer.proxies.calls import Call, QuestionRaised
from replicheck.explorer.proxies.loops.claimed_loops import begins_claimed_loop
from replicheck.explorer.proxies.loops.lasting_values import is_lasting
from replicheck.explorer.proxies.loops.loop_filter import (
    FOR_EVERY_ITEM,
    LoopFilter,
    loop_filter,
)
from replicheck.explorer.proxies.loops.loop_syntax import Instruction, instruction_at
from replicheck.explorer.proxies.loops.parted_loops import parted_loops
from replicheck.explorer.proxies.loops.source_tree import (
    SHARED_NAMES_CRASH,
    has_shared_names,
)
from replicheck.explorer.proxies.loops.withheld import Withheld
from replicheck.explorer.proxies.proxy import Proxy, unwrap_arguments
from replicheck.explorer.states.value_parts import FILTERED

_FILTERS: dict[
    tuple[CodeType, Instruction, int], tuple[dict[str, Any], LoopFilter | None]
] = {}
"""Filters by code, instruction and identity of the global names, which are kept."""


ASKED: dict[type, type] = {list: tuple, set: frozenset}
"""What a filter is given for what is only asked whether it has an item."""
_AT_WORK: list[CodeType] = []
"""Functions for a loop of which values are being found. To find them may run the same
function, which would go on for ever if its loops did that, too."""


def call_of_loop(frame: FrameType) -> Call | None:
    """The call that a loop is about which begins now.

    None if it is not known with which items it does anything.

    Args:
        frame: where a set is iterated.
    """
    keeps = _filter_of(frame)
    if SHARED_NAMES_CRASH and has_shared_names(frame.f_code):
        return None
    if frame.f_code in _AT_WORK:
        return None
    call = None if keeps is None else _filtered(keeps, frame)
    return call or _every_item(frame)


def _filter_of(frame: FrameType) -> LoopFilter | None:
    """The filter of the loop that begins in a frame."""
    names = frame.f_globals
    instruction = instruction_at(frame.f_code, frame.f_lasti)
    key = (frame.f_code, instruction, id(names))
    if key not in _FILTERS:
        _FILTERS[key] = (names, loop_filter(frame.f_code, instruction, names))
    return _FILTERS[key][1]


def _filtered(keeps: LoopFilter, frame: FrameType) -> Call | None:
    """The call that asks for the items that a filter keeps; None if it cannot."""
    names = frame.f_globals
    _AT_WORK.append(frame.f_code)
    try:
        own = {name: frame.f_locals[name] for name in keeps.names}
        if not all(_is_kept(name, value, keeps) for name, value in own.items()):
            return None
        found = tuple(eval(outside, names, own) for outside in keeps.outside)
        iterated = [eval(inside, names, own) for inside in keeps.iterated]
        if not all(hasattr(value.__class__, "__iter__") for value in iterated):
            return None
        if any(
            type(value) in ASKED and place not in keeps.contained
            for place, value in enumerate(found)
        ):
            return None
        values = tuple(map(_as_argument, found))
        if _has_state(values) or not is_lasting(values):
            return None
        call = (FILTERED, (keeps, *unwrap_arguments(values)))
        hash(call)
    except (Exception, QuestionRaised):
        return None
    finally:
        _AT_WORK.pop()
    return call


def _every_item(frame: FrameType) -> Call | None:
    """The call of a loop that does something with each item, but by itself."""
    is_by_item = any(
        loop.begins_in(frame) and loop.is_parted_in(frame)
        for loop in parted_loops(frame.f_code)
    )
    return FOR_EVERY_ITEM if is_by_item or begins_claimed_loop(frame) else None


def does_sort(frame: FrameType) -> bool:
    """Tell whether the loop that begins in a frame is over what `sorted` gives."""
    return not instruction_at(frame.f_code, frame.f_lasti).begins_loop


def _is_kept(name: str, value: Any, keeps: LoopFilter) -> bool:
    """Tell whether what a name has stays as it is while a loop goes on."""
    return is_lasting(value) or (name in keeps.asked and type(value) in ASKED)


def _as_argument(value: Any) -> Any:
    """What a filter is given for a value."""
    if _has_set(value):
        return Withheld.SET
    return ASKED[type(value)](value) if type(value) in ASKED else value


def _has_set(value: Any) -> bool:
    """Tell whether a cell with a set is in a value, of which all would be read."""
    kind: Any = type(value)
    if issubclass(kind, tuple):
        return any(map(_has_set, value))
    return issubclass(kind, Proxy) and value.has_set_


def _has_state(value: Any) -> bool:
    """Tell whether there is a state in a value, of which all would be read."""
    kind: Any = type(value)
    if issubclass(kind, tuple | frozenset):
        return any(map(_has_state, value))
    return issubclass(kind, Proxy) and kind.is_state_
