"""Values that nothing which a loop does can change."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from types import FrameType
from typing import Any

import attrs

from replicheck.explorer.proxies.proxy import Proxy


@attrs.frozen
class _Frozen:
    """A class whose values never change, and refuse it as those of all such do."""


PLAIN = (bool, bytes, float, int, str, Enum, type)
"""Classes of values that have no others in them."""


def are_lasting_in(frame: FrameType, names: Iterable[str]) -> bool:
    """Tell whether nothing changes what names have in a frame, as far as it has any."""
    own = frame.f_locals
    return all(is_lasting(own[name]) for name in names if name in own)


def is_lasting(value: Any) -> bool:
    """Tell whether nothing that a loop does changes a value."""
    return _is_made_of((Proxy, *PLAIN), value)


def is_plain(value: Any) -> bool:
    """Tell the same of a value, and whether nothing in it stands for a cell."""
    return _is_made_of(PLAIN, value)


def _is_made_of(kinds: tuple[type, ...], value: Any) -> bool:
    """Tell whether a value is of these classes, or frozen and holds nothing else."""
    kind: Any = type(value)
    if issubclass(kind, kinds):
        return True
    if issubclass(kind, tuple | frozenset):
        return all(_is_made_of(kinds, part) for part in value)
    if attrs.has(kind) and kind.__setattr__ is _Frozen.__setattr__:
        fields = [field.name for field in attrs.fields(kind)]
        return all(_is_made_of(kinds, getattr(value, name)) for name in fields)
    return value is None
