"""Packing: the arguments of a kernel as the words of one array.

A kernel gets one argument, the address of some **words**: its integers as they are, for
each array its address and its shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen


@frozen
class Packed:
    """An argument as words; to pack it once spares time where it is passed often."""

    argument: object
    words: tuple[int, ...]
    kind: str


def pack(argument: object) -> Packed:
    """An integer, an array or a tuple of arrays as words.

    The array must outlive the words.

    Raises:
        ValueError: if an array is not contiguous.
    """
    words: list[int] = []
    kinds: list[str] = []
    pack_into(argument, words, kinds)
    return Packed(argument, tuple(words), "".join(kinds))


def pack_into(argument: Any, words: list[int], kinds: list[str]) -> None:
    """Append the words of an argument, and the kind of each part of it."""
    if isinstance(argument, np.ndarray):
        interface = argument.__array_interface__
        if interface["strides"] is not None:
            raise ValueError("a kernel needs a contiguous array")
        shape = interface["shape"]
        words.append(interface["data"][0])
        words.extend(shape)
        kinds.append(f"{interface['typestr']}/{len(shape)} ")
    elif isinstance(argument, Packed):
        words.extend(argument.words)
        kinds.append(argument.kind)
    elif isinstance(argument, tuple):
        kinds.append(f"{type(argument).__name__}(")
        for element in argument:
            pack_into(element, words, kinds)
        kinds.append(")")
    else:
        words.append(int(argument))
        kinds.append("i ")
