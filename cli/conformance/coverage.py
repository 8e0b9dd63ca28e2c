"""What of a protocol was met by Kafka's own code: actions, pairs, rules, lines."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from attrs import field, frozen

from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.rules import RULE_ID
from replicheck.invariants.describers.rule_references import PART
from replicheck.model.protocol import Protocol
from replicheck.model.rules import function_named, is_rule, original

SAMPLES = 4
"""So often the lines of an action are looked at after each of the others."""
NEW = 16.0
"""How much a walk is drawn to an action that no run took so far."""
PERIOD = 16
"""Later they are looked at so seldom: once in so many steps of the action."""
Pair = tuple[str, str]


class Coverage:
    """Steps that the model and Kafka took alike, and what of the model they ran."""

    def __init__(self, protocol: Protocol) -> None:
        """Begin with nothing."""
        self.protocol = protocol
        self.actions: Counter[str] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self.rules: set[str] = set()
        self.lines: dict[CodeType, set[int]] = {}
        self._functions = {action.__name__: action for action in protocol.actions}
        self._package = package_of(protocol)
        self._last = ""

    def begin(self) -> None:
        """A run begins: its first step comes after none."""
        self._last = ""

    def add(self, action: str, arguments: dict[str, Any], before: Any) -> None:
        """Count a step that both took."""
        pair = (self._last, action)
        self.actions[action] += 1
        self.pairs[pair] += 1
        self._last = action
        if self.pairs[pair] <= SAMPLES or not self.actions[action] % PERIOD:
            self._trace(self._functions[action], before, arguments)

    def add_run(self, trace: Trace[Any]) -> None:
        """Count the steps of a run that both took to the end."""
        self.begin()
        before = trace.start
        for step in trace.steps:
            self.add(step.action, dict(step.arguments), before)
            before = step.state

    def weight(self, action: str) -> float:
        """How much a walk is drawn to an action next: to what was not met so far."""
        met = self.pairs[self._last, action]
        return NEW if not self.actions[action] else 1.0 + 7.0 / (1 + met)

    def is_new(self, action: str) -> bool:
        """Tell whether no run took an action so far."""
        return not self.actions[action]

    def _trace(
        self, action: Callable[..., Any], before: Any, arguments: dict[str, Any]
    ) -> None:
        """Run an action once more, and note the lines and rules of what it runs."""
        package = self._package

        def enter(frame: FrameType, event: str, argument: object) -> Any:
            if not str(frame.f_globals.get("__name__", "")).startswith(package):
                return None
            lines = self.lines.setdefault(frame.f_code, set())
            if not lines:
                self.rules.update(rules_of_code(frame))
            lines.add(frame.f_lineno)

            def line(inner: FrameType, event: str, argument: object) -> Any:
                lines.add(inner.f_lineno)
                return line

            return line

        old = sys.gettrace()
        sys.settrace(enter)
        try:
            list(action(before, **arguments))
        finally:
            sys.settrace(old)

    def summary(self) -> CoverageSummary:
        """What was met, and what was not."""
        possible = expected_rules(self.protocol, self._functions.values())
        ran = {
            (code, line)
            for code, lines in self.lines.items()
            for line in lines & lines_of(code)
        }
        there = {(c, line) for c in self.lines for line in lines_of(c)}
        missed = sorted(f"{_place(code)}:{line}" for code, line in there - ran)
        return CoverageSummary(
            actions={name: self.actions[name] for name in self._functions},
            pairs=len(self.pairs),
            rules=tuple(sorted(self.rules & possible)),
            rules_not_met=tuple(sorted(possible - self.rules)),
            lines=len(ran),
            lines_not_met=tuple(missed),
        )


@frozen
class CoverageSummary:
    """What of a protocol was met in a session.

    ``lines`` are those of functions that ran at all; ``lines_not_met`` the branches in
    them that were never taken, as file and line.
    """

    actions: dict[str, int]
    pairs: int
    rules: tuple[str, ...] = ()
    rules_not_met: tuple[str, ...] = ()
    lines: int = 0
    lines_not_met: tuple[str, ...] = field(default=())

    @property
    def actions_not_met(self) -> tuple[str, ...]:
        """Actions of the protocol that no run took."""
        return tuple(name for name, count in self.actions.items() if not count)


def rules_of_code(frame: FrameType) -> Iterator[str]:
    """Rule ids in the docstring of the function that a frame runs."""
    constants = frame.f_code.co_consts
    doc = constants[0] if constants and isinstance(constants[0], str) else ""
    yield from rules_in(doc)


def rules_in(doc: str) -> Iterator[str]:
    """Rule ids that a docstring names."""
    for part in PART.findall(doc):
        yield from RULE_ID.findall(part)


def lines_of(code: CodeType) -> set[int]:
    """Lines of a function that can run, its first one left out."""
    return {n for _, _, n in code.co_lines() if n is not None} - {code.co_firstlineno}


def package_of(protocol: Protocol) -> str:
    """Package of the model that a protocol is of."""
    return ".".join(protocol.actions[0].__module__.split(".")[:3])


def expected_rules(
    protocol: Protocol, actions: Iterable[Callable[..., Any]]
) -> set[str]:
    """Rules of some of a protocol's actions, and of the functions that they call."""
    found: set[str] = set()
    seen: set[Any] = set()
    replaced = dict(protocol.replacements)
    package = package_of(protocol)
    todo = list(actions)
    while todo:
        function = todo.pop()
        if is_rule(function):
            name = f"{function.__module__}:{function.__qualname__}"
            by = replaced.get(name)
            function = function_named(by) if by else original(function)
        if function in seen:
            continue
        seen.add(function)
        found.update(rules_in(function.__doc__ or ""))
        todo += _called(function, package)
    return found


def _called(function: Any, package: str) -> Iterator[Any]:
    """Functions of the model that a function names in its code."""
    namespace = function.__globals__
    for name in function.__code__.co_names:
        value = namespace.get(name)
        if inspect.ismodule(value):
            inner = (getattr(value, n, None) for n in function.__code__.co_names)
            candidates = [v for v in inner if inspect.isfunction(v)]
        else:
            candidates = [value] if inspect.isfunction(value) else []
        yield from (c for c in candidates if c.__module__.startswith(package))


def _place(code: CodeType) -> str:
    _, _, path = code.co_filename.rpartition("/model/")
    return f"model/{path}:{code.co_name}"
