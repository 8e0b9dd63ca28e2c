"""One run, taken by the model and by Kafka at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import Any, Self

from attrs import evolve, field, frozen

from replicheck.cli.conformance.differences import Difference, differences
from replicheck.cli.conformance.fetching.client_answers import (
    ClientAnswers,
    kafka_answers,
)
from replicheck.cli.conformance.fetching.harness_calls import (
    ModelStep,
    beginning,
    commands,
    orders,
)
from replicheck.cli.conformance.fetching.kafka_cells import kafka_form
from replicheck.cli.conformance.fetching.model_cells import model_form
from replicheck.cli.conformance.harness.errors import HarnessError
from replicheck.cli.conformance.harness.process import Command, HarnessProcess
from replicheck.cli.conformance.known_differences import (
    Effect,
    Judgement,
    KnownDifference,
    Register,
)
from replicheck.cli.tasks.called_actions import called_as
from replicheck.explorer.report import Step
from replicheck.model.fetching.state import Brokers
from replicheck.model.protocol import Protocol

FETCHES_AGAIN = 3
"""So often a follower asks again before an old high watermark is a difference."""


class Ending(Enum):
    """How a run ended."""

    SAME = "the same to the end"
    KNOWN = "ended by a known difference"
    DIFFERS = "differs"
    ERROR = "an error of the harness"


FAILED = (Ending.DIFFERS, Ending.ERROR)
"""Endings of runs that are not explained."""


@frozen
class RunOutcome:
    """What came of a run: the steps that were taken, and how the last one ended it.

    ``kafka`` is the last state as the harness told it.
    """

    ending: Ending
    start: Any
    steps: tuple[Step[Any], ...] = ()
    differences: tuple[Difference, ...] = ()
    known: Counter[str] = field(factory=Counter)
    error: HarnessError | None = None
    kafka: dict[str, Any] = field(factory=dict)


class HarnessLockstep:
    """What is taken in lock-step: the harness, the names it knows, what was met."""

    def __init__(
        self, process: HarnessProcess, register: Register, protocol: Protocol
    ) -> None:
        """Take runs of a protocol; an action that replaces another is called as it."""
        self.process = process
        self.register = register
        self.protocol = protocol
        self.called = called_as(protocol)
        self.met: Counter[str] = Counter()
        """How often each known difference was met, by its name."""


class SteppedLockstep(HarnessLockstep, ABC):
    """A model's run and Kafka's, compared after each step of the model."""

    def __init__(
        self, process: HarnessProcess, register: Register, protocol: Protocol
    ) -> None:
        """Take runs of a protocol, of which none has begun."""
        super().__init__(process, register, protocol)
        self.state: dict[str, Any] = {}
        """Kafka's state after the last step, as the harness told it."""

    @abstractmethod
    def begin(self, start: Any) -> Judgement:
        """Have Kafka at an initial state of the model, and compare.

        Raises:
            HarnessError: if it cannot be brought there.
        """

    @abstractmethod
    def take(self, step: ModelStep) -> Judgement:
        """Take a step of the model in Kafka, and compare what comes of both.

        Raises:
            HarnessError: if Kafka cannot take it, or raises.
        """

    def of(self, protocol: Protocol) -> Self:
        """The same harness for runs of another protocol."""
        return type(self)(self.process, self.register, protocol)


class Lockstep(SteppedLockstep):
    """A run of brokers in the model and in Kafka, compared after each step."""

    def __init__(
        self, process: HarnessProcess, register: Register, protocol: Protocol
    ) -> None:
        """Take runs of a protocol, whose clients were told nothing yet."""
        super().__init__(process, register, protocol)
        self.answers = ClientAnswers()
        """What clients were told in the run so far."""

    def begin(self, start: Brokers) -> Judgement:
        """Have Kafka at an initial state of the model, and compare.

        Raises:
            HarnessError: if it cannot be brought there.
        """
        self.answers = ClientAnswers()
        self.state = self.process.take(beginning(start, self.called.values()))
        return self._in_order(start, None, self._judged(start, None))

    def take(self, step: ModelStep) -> Judgement:
        """Take a step of the model in Kafka, and compare what comes of both.

        Raises:
            HarnessError: if Kafka cannot take it, or raises.
        """
        step = evolve(step, action=self.called[step.action])
        self.state = self.process.take(commands(step))
        self.answers.add(step)
        judgement = self._judged(step.after, step)
        for _ in range(FETCHES_AGAIN):
            if not judgement.has(Effect.FETCH_AGAIN):
                break
            self._count(judgement.known)
            again = Command("fetch_again", step.arguments)
            self.state = self.process.take([again])
            judgement = self._judged(step.after, step)
        judgement = self._in_order(step.after, step, judgement)
        self._count(judgement.known)
        return judgement

    def _in_order(
        self, model: Brokers, step: ModelStep | None, judgement: Judgement
    ) -> Judgement:
        """Give Kafka's threads the order of the model, where it leaves that open."""
        if not judgement.has(Effect.SAME_ORDER):
            return judgement
        self._count(judgement.known)
        self.state = self.process.take(tuple(orders(model)))
        return self._judged(model, step)

    def _judged(self, model: Brokers, step: ModelStep | None) -> Judgement:
        is_ordered = bool(model.bounds.fetch_size)
        found = differences(
            model_form(model) | self.answers.form(),
            kafka_form(self.state, is_ordered) | kafka_answers(self.state),
        )
        return self.register.explain(found, step, self.process.kafka)

    def _count(self, known: Iterable[KnownDifference]) -> None:
        self.met.update(difference.name for difference in known)


def replay(
    lockstep: SteppedLockstep, start: Any, steps: Iterable[Step[Any]]
) -> RunOutcome:
    """Take a run to its end, or to the first difference without explanation."""
    taken: list[Step[Any]] = []

    def outcome(ending: Ending, *found: Difference, **more: Any) -> RunOutcome:
        return RunOutcome(
            ending, start, tuple(taken), found, kafka=lockstep.state, **more
        )

    try:
        judgement = lockstep.begin(start)
        if judgement.unexplained:
            return outcome(Ending.DIFFERS, *judgement.unexplained)
        before = start
        for step in steps:
            taken.append(step)
            arguments = dict(step.arguments)
            judgement = lockstep.take(
                ModelStep(step.action, arguments, before, step.state)
            )
            if judgement.unexplained:
                return outcome(Ending.DIFFERS, *judgement.unexplained)
            if judgement.ends_the_run():
                return outcome(Ending.KNOWN)
            before = step.state
    except HarnessError as error:
        return outcome(Ending.ERROR, error=error)
    return outcome(Ending.SAME)
