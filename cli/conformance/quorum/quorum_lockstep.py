"""One run, taken by the model `kraft` and by the managers of Kafka's controller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import evolve

from replicheck.cli.conformance.differences import differences
from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.known_differences import Judgement
from replicheck.cli.conformance.lockstep import SteppedLockstep
from replicheck.cli.conformance.quorum.quorum_calls import beginning, command
from replicheck.cli.conformance.quorum.quorum_cells import controller_form, step_form
from replicheck.model.kraft.state import KraftCluster

OF_THE_STATE = ("memory", "image")
OF_THE_STEP = ("written", "answer")


class QuorumLockstep(SteppedLockstep):
    """The model's controller and Kafka's, compared after each step."""

    def begin(self, start: KraftCluster) -> Judgement:
        """Have Kafka at an initial state of the model, and compare.

        Raises:
            HarnessError: if it cannot be brought there.
        """
        self.state = self.process.take([beginning(start)])
        return self._judged(controller_form(start), OF_THE_STATE, None)

    def take(self, step: ModelStep) -> Judgement:
        """Take a step of the model in Kafka, and compare what comes of both.

        Raises:
            HarnessError: if Kafka cannot take it, or raises.
        """
        step = evolve(step, action=self.called[step.action])
        model = controller_form(step.after)
        call = command(step)
        if call is None:
            return self._judged(model, OF_THE_STATE, step)
        self.state = self.process.take([call])
        return self._judged(
            model | step_form(step), (*OF_THE_STATE, *OF_THE_STEP), step
        )

    def _judged(
        self, model: dict[str, Any], names: Iterable[str], step: ModelStep | None
    ) -> Judgement:
        kafka = {name: self.state[name] for name in names}
        found = differences(model, kafka)
        judgement = self.register.explain(found, step, self.process.kafka)
        self.met.update(known.name for known in judgement.known)
        return judgement
