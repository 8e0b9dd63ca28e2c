"""One run, taken by the model `kraft` and by Kafka's controller and brokers at once."""

from __future__ import annotations

from attrs import evolve

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.known_differences import Judgement
from replicheck.cli.conformance.quorum.broker_calls import commands
from replicheck.cli.conformance.quorum.broker_cells import brokers_form
from replicheck.cli.conformance.quorum.quorum_calls import beginning, command
from replicheck.cli.conformance.quorum.quorum_cells import controller_form, step_form
from replicheck.cli.conformance.quorum.quorum_lockstep import (
    OF_THE_STATE,
    OF_THE_STEP,
    QuorumLockstep,
)
from replicheck.model.kraft.state import KraftCluster

WITH_BROKERS = (*OF_THE_STATE, "brokers")
ONE_FETCH = {"fetches": 1}
"""What a step has at most, if it has any."""


class KraftLockstep(QuorumLockstep):
    """The model's cluster and Kafka's, compared after each step."""

    def begin(self, start: KraftCluster) -> Judgement:
        """Have Kafka at an initial state of the model, and compare.

        Raises:
            HarnessError: if it cannot be brought there.
        """
        self.state = self.process.take([beginning(start)])
        model = controller_form(start) | brokers_form(start)
        return self._judged(model, WITH_BROKERS, None)

    def take(self, step: ModelStep) -> Judgement:
        """Take a step of the model in Kafka, and compare what comes of both.

        Raises:
            HarnessError: if Kafka cannot take it, or raises.
        """
        step = evolve(step, action=self.called[step.action])
        calls = list(commands(step))
        model = controller_form(step.after) | brokers_form(step.after)
        if not calls:
            return self._judged(model, WITH_BROKERS, step)
        self.state = self.process.take(calls)
        model |= ONE_FETCH
        names = (*WITH_BROKERS, *ONE_FETCH)
        if command(step) is None:
            return self._judged(model, names, step)
        return self._judged(model | step_form(step), (*names, *OF_THE_STEP), step)
