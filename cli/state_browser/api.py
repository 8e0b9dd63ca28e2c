"""What the page of ``replicheck explore`` asks, and the answers, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from attrs import frozen

from replicheck.cli.pages.glossary import glossary_of
from replicheck.cli.runs.trace_files import make_saved_trace
from replicheck.cli.state_browser.run_ending import RunEnding, run_ending
from replicheck.cli.state_browser.state_search import violations_from
from replicheck.cli.state_browser.verdicts import PropertyJudges, PropertyVerdict
from replicheck.cli.tasks.task import Task
from replicheck.explorer.interpreter.stepper import CannotTake, LabelledStep, Stepper
from replicheck.explorer.report import Trace
from replicheck.explorer.states.layout import Layout
from replicheck.invariants.catalogue.systems import NO_DEADLOCK
from replicheck.traces.describer import Describer
from replicheck.traces.html.content import change_content, run_content
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.json_lines import dumps, loads
from replicheck.traces.state_diff import changes
from replicheck.traces.value_classes import value_classes


@frozen
class BrowserApi:
    """Answers for one scenario. Nothing is remembered: each question has its run."""

    task: Task
    stepper: Stepper
    judges: PropertyJudges
    describer: Describer
    glossary: Glossary

    @classmethod
    def of(cls, task: Task) -> Self:
        """The answers for a task."""
        model = task.model
        judges = PropertyJudges(model, task.properties)
        system = task.system
        describer, glossary = system.describer, glossary_of(system)
        return cls(task, Stepper(model), judges, describer, glossary)

    def walk(self, names: Sequence[str], at: int) -> dict[str, Any]:
        """A run, and what is possible and true after ``at`` of its steps.

        Raises:
            CannotTake: if the model does not have the run.
        """
        trace = self.stepper.take(names)
        ending = run_ending(self.task, self.stepper.model, trace)
        shown = ending.repetition if ending.repetition.takes_steps else None
        here = min(at, len(trace.steps))
        state = trace.states[here]
        before = trace.states[here - 1] if here else None
        return {
            "run": run_content(trace, self.describer, self.glossary, shown),
            "ending": self._ending(ending),
            "steps": list(names),
            "at": here,
            "claimsNoDeadlock": NO_DEADLOCK in self.task.scenario.invariants,
            "choices": [
                self._choice(state, choice) for choice in self.stepper.steps(state)
            ],
            "verdicts": [
                self._verdict(verdict)
                for verdict in self.judges.verdicts(before, state)
            ],
        }

    def search(self, names: Sequence[str]) -> dict[str, Any]:
        """Violations within reach of the end of a run, each with a shortest way there.

        Raises:
            CannotTake: if the model does not have the run.
        """
        return violations_from(self.task, self.stepper, names)

    def opened(self, text: str) -> dict[str, Any]:
        """The steps of a saved trace, given as the text of its file.

        Raises:
            TraceError: if the text is no trace.
            CannotTake: if the model does not have the run.
        """
        return {"steps": self.labels(loads(text, self._classes).trace)}

    def labels(self, trace: Trace[Any]) -> list[str]:
        """Labels of the steps of a run, as `walk` takes them.

        Raises:
            CannotTake: if the model does not have the run.
        """
        if trace.start != self.stepper.start:
            raise CannotTake(0, "the run begins in another state")
        return list(self.stepper.labels(trace))

    def trace(self, names: Sequence[str]) -> str:
        """A run as the text of its file, with the property that it breaks.

        Raises:
            CannotTake: if the model does not have the run.
        """
        trace = self.stepper.take(names)
        return dumps(
            make_saved_trace(self.task, trace, **self._violation_fields(trace))
        )

    def _classes(self, model: str) -> Mapping[str, type]:
        system = self.task.system
        known = model == system.name
        return value_classes(system.state, system.mentioned) if known else {}

    def _ending(self, ending: RunEnding) -> dict[str, Any]:
        return {
            "text": ending.repetition.text,
            "takesSteps": ending.repetition.takes_steps,
            "leftOut": ending.left_out,
            "broken": [
                {
                    "property": found.claim.name,
                    "instance": found.instance,
                    "claim": self.task.claim_text(found.claim.name),
                }
                for found in ending.broken
            ],
        }

    def _violation_fields(self, trace: Trace[Any]) -> dict[str, Any]:
        before = trace.states[-2] if trace.steps else None
        for verdict in self.judges.verdicts(before, trace.states[-1]):
            if verdict.is_bad:
                return {
                    "property": verdict.claim,
                    "kind": verdict.kind.value,
                    "instance": verdict.instances[0],
                }
        ending = run_ending(self.task, self.stepper.model, trace)
        if not ending.broken:
            return {}
        first = ending.broken[0]
        return {
            "property": first.claim.name,
            "kind": first.claim.kind.value,
            "instance": first.instance,
            "loop": ending.loop,
        }

    def _choice(self, state: Any, choice: LabelledStep) -> dict[str, Any]:
        layout = Layout.of(state)
        after = choice.step.state
        return {
            "name": choice.label,
            "action": choice.step.action,
            "text": self.glossary.summary(choice.step.action),
            "changes": [
                change_content(layout, change)
                for change in changes(layout, state, after)
            ],
            "breaks": self.judges.broken(state, after),
            "isFault": self.describer.is_fault(choice.step.action, state, after),
        }

    def _verdict(self, verdict: PropertyVerdict) -> dict[str, Any]:
        return {
            "property": verdict.claim,
            "kind": verdict.kind.value,
            "isTrue": verdict.is_true,
            "isBad": verdict.is_bad,
            "instances": verdict.instances,
            "claim": self.task.claim_text(verdict.claim),
        }
