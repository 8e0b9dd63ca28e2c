"""Values that nothing which a loop does can change."""

from __future__ import annotations

from enum import Enum
from typing import Any

import attrs

from replicheck.explorer.proxies.proxy import Proxy


@attrs.frozen
class _Frozen:
    """A class whose values never change, and refuse it as those of all such do."""


def is_lasting(value: Any) -> bool:
    """Tell whether nothing that a loop does changes a value."""
    kind: Any = type(value)
    if issubclass(kind, Proxy | bool | bytes | float | int | str | Enum | type):
        return True
    if issubclass(kind, tuple | frozenset):
        return all(map(is_lasting, value))
    if attrs.has(kind) and kind.__setattr__ is _Frozen.__setattr__:
        fields = [field.name for field in attrs.fields(kind)]
        return all(is_lasting(getattr(value, name)) for name in fields)
    return value is None
