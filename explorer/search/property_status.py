"""Findings: which properties are decided, by which state, and the runs to those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol

import numpy as np
from attrs import evolve, frozen

from replicheck.explorer.engine import Stop
from replicheck.explorer.errors import ModelError, message_of, place_raised
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.native.kernels.arrays import (
    BROKEN_STEP,
    FAILURE,
    NOTE,
    NOTHING_NOTED,
    U64Array,
)
from replicheck.explorer.properties import Kind, Property, require_distinct_names
from replicheck.explorer.proxies.probes import HasRead
from replicheck.explorer.report import Failure, Step, Trace, Violation
from replicheck.explorer.search.parent_pointers import ParentPointers
from replicheck.explorer.states.shared_cells import shared


class FunctionRaised(Exception):
    """A function of the model raised; the search ends with this failure."""

    def __init__(self, failure: Failure[Any]) -> None:
        super().__init__(failure.message)
        self.failure = failure


@frozen
class Decision:
    """That a property was decided, and where: a state by its level and its place there.

    ``instance`` is the action whose step breaks a step property.
    """

    property: str
    level: int
    place: int
    instance: int | None = None


class TraceSource(Protocol):
    """Knows the way to every state."""

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """The run to the state at a place of the level after ``depth`` steps."""


class JudgedLevel(Protocol):
    """The level that is being judged: its number, from 0, and the way to its states."""

    @property
    def path(self) -> TraceSource:
        """Source of traces."""

    @property
    def level(self) -> int:
        """The number of the level."""

    def place_of(self, fingerprint: int) -> int:
        """The place of a state by its fingerprint."""


@frozen
class LevelInMemory:
    """A level in memory, by its fingerprints."""

    path: ParentPointers
    level: int
    fingerprints: U64Array

    def place_of(self, fingerprint: int) -> int:
        """The place of a state by its fingerprint."""
        return int(np.searchsorted(self.fingerprints, np.uint64(fingerprint)))


class PropertyStatus(Generic[S]):
    """What a search has found so far."""

    def __init__(
        self,
        model: Model[S],
        properties: Sequence[Property],
        learner: Learner,
        stop: Stop,
    ) -> None:
        self.model, self.learner, self.stop = model, learner, stop
        require_distinct_names(properties)
        self.properties = tuple(dict.fromkeys(properties))
        self.violations: dict[str, Violation[S]] = {}
        self.reached: dict[str, Trace[S]] = {}
        self.decisions: list[Decision] = []

    def wanted(self, *roles: Role) -> U64Array:
        """The bit set of the instances of some roles whose answer matters."""
        wanted = np.zeros(self.learner.tables.width, np.uint64)
        bits = [0] * len(wanted)
        for number, function in enumerate(self.learner.functions):
            if function.role in roles:
                claim = function.property
                if claim is None or not self.is_decided(claim):
                    bits[number >> 6] |= 1 << (number & 63)
        wanted[:] = bits
        return wanted

    def is_decided(self, claim: Property) -> bool:
        """Tell whether a property is violated or reached."""
        return claim.name in self.violations or claim.name in self.reached

    @property
    def asks_for_deadlocks(self) -> bool:
        """Tell whether a deadlock is a violation."""
        return any(claim.kind is Kind.DEADLOCK for claim in self.properties)

    @property
    def are_enough(self) -> bool:
        """Tell whether the search may end with this level."""
        if self.stop is Stop.EXHAUSTED:
            return False
        if self.stop is Stop.FIRST_VIOLATION or not self.violations:
            return bool(self.violations)
        return all(self.is_decided(claim) for claim in self.properties)

    def note_instances(self, expansion: Expansion, here: JudgedLevel) -> None:
        """Note what predicates found.

        Raises:
            FunctionRaised: if one raised.
        """
        self.check_failures(expansion.notes, Role.PROPERTY, here)
        least: dict[Property, int] = {}
        notes = expansion.notes[NOTE]
        for number in np.flatnonzero(notes != NOTHING_NOTED).tolist():
            claim, noted = self.learner.functions[number].property, int(notes[number])
            if claim is not None:
                least[claim] = min(least.get(claim, noted), noted)
        for claim, fingerprint in least.items():
            self._note(claim, here, fingerprint)

    def note_steps(self, expansion: Expansion, here: JudgedLevel) -> None:
        """Note what steps broke.

        Raises:
            FunctionRaised: if an action raised.
        """
        self.check_failures(expansion.notes, Role.ACTION, here)
        for number, claim in enumerate(self.learner.step_properties):
            notes = expansion.notes[BROKEN_STEP + number]
            if not self.is_decided(claim) and (notes != NOTHING_NOTED).any():
                instance = int(np.argmin(notes))
                self._note(claim, here, int(notes[instance]), instance)
        if expansion.stuck is None:
            return
        for claim in self.properties:
            if claim.kind is Kind.DEADLOCK and not self.is_decided(claim):
                self._note(claim, here, expansion.stuck)

    def check_failures(self, notes: U64Array, role: Role, here: JudgedLevel) -> None:
        """End the search if a function of a role raised.

        Raises:
            FunctionRaised: naming the function and the state.
        """
        raised = notes[FAILURE]
        numbers = [
            number
            for number in np.flatnonzero(raised != NOTHING_NOTED).tolist()
            if self.learner.functions[number].role is role
        ]
        if not numbers:
            return
        least = min(numbers, key=lambda number: (int(raised[number]), number))
        number = here.place_of(int(raised[least]))
        trace = here.path.trace(self.learner, here.level, number)
        function, message, place = self._exception(
            self.learner.functions[least].instance, role, trace.states[-1]
        )
        raise FunctionRaised(Failure(function, message, trace, place))

    def restore(self, decisions: Iterable[Decision], path: TraceSource) -> None:
        """Note what an earlier process found."""
        for decision in decisions:
            self._see(decision, path)

    def _note(
        self,
        claim: Property,
        here: JudgedLevel,
        fingerprint: int,
        instance: int | None = None,
    ) -> None:
        place = here.place_of(fingerprint)
        self._see(Decision(claim.name, here.level, place, instance), here.path)

    def _see(self, decision: Decision, path: TraceSource) -> None:
        """Keep a sighting with the run to it."""
        self.decisions.append(decision)
        claim = next(c for c in self.properties if c.name == decision.property)
        trace = path.trace(self.learner, decision.level, decision.place)
        if claim.kind is Kind.SOMETIMES:
            self.reached[claim.name] = trace
        elif claim.kind is Kind.DEADLOCK:
            found = Violation(claim.name, claim.kind, claim.name, trace)
            self.violations[claim.name] = found
        elif decision.instance is None:
            self.violations[claim.name] = self.violation(claim, trace)
        else:
            found = self.violation_by_step(claim, decision.instance, trace)
            self.violations[claim.name] = found

    def violation(self, claim: Property, trace: Trace[S]) -> Violation[S]:
        """The violation of an invariant by the last state of a run."""
        state = trace.states[-1]
        instances = claim.instances(self.model.domains)
        with _judging_again(claim, state):
            label = next(one.label for one in instances if _is_false(one, state))
        return Violation(claim.name, claim.kind, label, trace)

    def violation_by_step(
        self, claim: Property, number: int, trace: Trace[S]
    ) -> Violation[S]:
        """The violation of a step property by a step on from a run.

        Args:
            number: of the instance whose step it is.
        """
        action, before = self.learner.functions[number].instance, trace.states[-1]
        with _judging_again(claim, before):
            label, after = next(
                (instance.label, after)
                for after in action(before)
                for instance in claim.instances(self.model.domains)
                if _is_false(instance, before, shared(before, after))
            )
        last = Step(action.name, dict(action.arguments), after)
        whole = evolve(trace, steps=(*trace.steps, last))
        return Violation(claim.name, claim.kind, label, whole)

    def _exception(
        self, instance: Instance, role: Role, state: S
    ) -> tuple[str, str, str]:
        """Run the function again on the plain state; say what it raises, and where."""
        raising = instance
        try:
            if role is not Role.ACTION:
                bool(instance(state))
            for after in list(instance(state)) if role is Role.ACTION else ():
                for claim in self.learner.step_properties:
                    for instance in claim.instances(self.model.domains):
                        raising = instance
                        bool(instance(state, shared(state, after)))
        except Exception as error:
            place = place_raised(error, raising.function)
            return raising.label, message_of(error), place
        other = (
            "an exception where the engine learns it, and none on the plain state: it"
            " looks at the class of a cell, or catches what it raises"
        )
        return raising.label, other, ""


def _is_false(instance: Instance, *states: Any) -> bool:
    """Tell whether an instance is false of a state, or of a step, and does not raise.

    One of a claim that was broken before may raise: it is not judged any more.
    """
    try:
        return not instance(*states)
    except Exception:
        return False


@contextmanager
def _judging_again(claim: Property, state: object) -> Iterator[None]:
    """Ask a claim again that was broken in a state.

    Raises:
        ModelError: if it holds now, or raises.
    """
    try:
        yield
    except ModelError:
        raise
    except (Exception, HasRead) as error:
        raise ModelError(
            f"`{claim.name}` is not a function of the state: it was broken once, and"
            f" holds or raises when it is asked again. The state: {state}"
        ) from error
