"""Values of traces: what is no value of the model is refused by name."""

from __future__ import annotations

from enum import Enum, Flag, auto

import pytest

from replicheck.traces.value_json import EncodingError, decode, encode


class Signal(Enum):
    """An enumeration."""

    RED = auto()


class Access(Flag):
    """Flags, of which any number are set."""

    READ = auto()
    WRITE = auto()


CLASSES = {"Signal": Signal, "Access": Access}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"$enum": "Signal", "name": "BLUE"}, "Signal has no member BLUE"),
        ({"$enum": "Signal", "name": ["RED"]}, "Signal has no member"),
        ({"$enum": "Access", "value": "all"}, "Access has no flags all"),
        ({"$enum": "Access", "value": 8}, "Access has no flags 8"),
        ({"$enum": "Colour", "name": "RED"}, "there is no class Colour"),
    ],
)
def test_what_an_enumeration_does_not_have(form: object, message: str) -> None:
    """Its name is in the message."""
    with pytest.raises(EncodingError, match=message):
        decode(form, CLASSES)


@pytest.mark.parametrize("value", [Access(0), Access.READ, Access.READ | Access.WRITE])
def test_flags_come_back(value: Access) -> None:
    """None of them, one, and several."""
    form = encode(value)
    assert decode({**form, "$enum": "Access"}, CLASSES) is value
