"""What holds for each model of Kafka: pure actions, and docstrings that say enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from replicheck.explorer.instances import instances
from replicheck.model.protocol import ProtocolModel
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import decode, encode

ENOUGH_STATES = 300
"""So many are enough to see each action of a small model."""


def require_pure_actions(model: ProtocolModel, state_class: type) -> None:
    """Fail unless actions give the same steps again, also for an equal state."""
    (state,) = model.initial_states()
    seen, todo = {state}, [state]
    actions = instances(model.actions, model.domains)
    while todo and len(seen) < ENOUGH_STATES:
        before = todo.pop(0)
        copy = decode(encode(before), value_classes(state_class))
        for action in actions:
            after = list(action(before))
            assert list(action(copy)) == after
            new = [successor for successor in after if successor not in seen]
            seen |= set(new)
            todo += new


def require_rules_and_sources(actions: Sequence[Callable[..., Any]]) -> None:
    """Fail unless each docstring names rules and Kafka's method."""
    for action in actions:
        text = action.__doc__ or ""
        assert "Rules: " in text, action.__name__
        assert "Source: " in text, action.__name__


def require_summaries(predicates: Sequence[Callable[..., Any]]) -> None:
    """Fail unless each docstring has a summary that says whether it holds."""
    for predicate in predicates:
        text = predicate.__doc__ or ""
        assert text[0].isupper(), predicate.__name__
        assert "hold" in text.lower() or "violated" in text, predicate.__name__
