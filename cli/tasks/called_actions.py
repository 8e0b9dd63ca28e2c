"""Called actions: the names by which Kafka knows the actions of a protocol."""

from __future__ import annotations

from replicheck.model.protocol import Protocol


def called_as(protocol: Protocol) -> dict[str, str]:
    """The name of each action, by its own; what a mutation puts in has the old one."""
    names = [action.__name__ for action in protocol.actions]
    before = protocol.original or protocol
    originals = [action.__name__ for action in before.actions]
    found = dict(zip(names, names, strict=True))
    found.update(zip(names, originals, strict=False))
    return found
