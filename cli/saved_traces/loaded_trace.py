"""Saved runs with the model that they are runs of, as it is now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import click
from attrs import evolve, frozen

from replicheck.cli.console.errors import BadInput
from replicheck.cli.saved_traces.trace_reading import no_model
from replicheck.cli.tasks.engines import fairness_of
from replicheck.cli.tasks.run_properties import property_of
from replicheck.explorer.errors import message_of
from replicheck.explorer.interpreter.judge import (
    ErrorJudge,
    InstanceJudge,
    Judge,
    NoJudge,
)
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.explorer.model import Model
from replicheck.explorer.properties import (
    LIVENESS,
    Kind,
    Property,
    always,
    every_step,
    no_deadlock,
)
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError, suggestion
from replicheck.invariants.catalogue.own.own_properties import (
    PropertyKind,
    with_own_properties,
)
from replicheck.invariants.catalogue.own.references import known_as
from replicheck.invariants.catalogue.resolution import bounds_of
from replicheck.invariants.catalogue.scenario import Names, Scenario
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.invariants.catalogue.systems import System, summary_line
from replicheck.invariants.describers.model_describer import ModelDescriber
from replicheck.model.protocol import Protocol
from replicheck.traces.json_lines import (
    Header,
)
from replicheck.traces.replay.avoidability import QUICK, escape_text, last_escape
from replicheck.traces.replay.replay import NoRunJudge, RunJudge

RUN_KINDS = [kind.value for kind in LIVENESS]
CLAIMS = {Kind.ALWAYS.value: always, Kind.STEP.value: every_step}


class ModelChanged(Exception):
    """The present model has no start, or no property, such as a trace speaks of."""


@frozen
class LoadedTrace:
    """A run that was saved, and the system that it is a run of.

    ``protocol`` is without the reductions of the run; ``name`` is that of the system.
    """

    header: Header
    system: System
    protocol: Protocol
    name: str

    @property
    def scenario(self) -> Scenario:
        """The scenario that the run is of."""
        return Scenario(
            name=self.header.scenario,
            summary="",
            model=self.header.model,
            protocol=self.protocol.name,
            bounds=dict(self.header.bounds),
            initial=self.header.initial,
            setup=self.header.setup,
            reductions=self.header.reductions,
        )

    @property
    def describer(self) -> ModelDescriber:
        """Describer of the cells of its model."""
        return self.system.describer

    @property
    def claim_text(self) -> str:
        """The claim of the property, for a person."""
        known, runs = self.system.predicates, self.system.run_claims_by_name
        name = self.header.property
        if name in runs:
            return runs[name].summary
        return summary_line(known[name]) if name in known else ""

    def model(self, **bounds: int) -> Model[Any]:
        """The present model, with other bounds if any are given.

        Raises:
            ModelChanged: if the steps before the run cannot be taken any more.
        """
        place = Place(self.header.scenario)
        together = {**self.header.bounds, **bounds}
        try:
            checked = attrs.asdict(bounds_of(self.system, together, place.at("bounds")))
            scenario = evolve(self.scenario, bounds=checked)
            model: Model[Any] = model_of(scenario, self.system, place)
        except ScenarioError as error:
            raise ModelChanged(str(error)) from error
        return model

    @property
    def claim(self) -> Property | None:
        """The property that the run is about; None if it is about no property.

        Raises:
            ModelChanged: if the model has no such property.
        """
        kind, name = self.header.kind, self.header.property
        if kind in ("", "error"):
            return None
        if kind == Kind.DEADLOCK.value:
            return no_deadlock()
        known, runs = self.system.predicates, self.system.run_claims_by_name
        if kind in RUN_KINDS and name in runs:
            return property_of(runs[name])
        if name not in known or kind not in CLAIMS:
            raise ModelChanged(
                f"there is no property {name}{suggestion(name, known)}; one of your own"
                f" is named by its file: --invariant FILE.py:{name}"
            )
        return CLAIMS[kind](known[name])

    def avoidable_text(self, trace: Trace[Any]) -> str:
        """Until when the violation was avoidable, by a quick search from its states.

        Of a run for ever nothing is said.
        """
        if self.header.loop is not None:
            return ""
        try:
            model = self.model()
            describer = self.system.describer
            verdict = last_escape(model, trace, self.judge(model), QUICK, describer)
        except Exception as error:
            return f"not known: {message_of(error)}"
        return escape_text(trace, verdict)

    @property
    def _claims(self) -> list[Property]:
        states = [*self.system.invariants, *self.system.witnesses]
        for claim in self.system.run_claims:
            states += filter(None, (claim.condition, claim.goal))
        return [*map(always, states), *map(every_step, self.system.steps)]

    def judge(self, model: Model[Any]) -> InstanceJudge:
        """Judge of the property that the run was saved for."""
        claim = self.claim
        if claim is not None and claim.kind in LIVENESS:
            return NoJudge()
        if claim is not None:
            return Judge(model, claim)
        if self.header.kind == "error":
            return ErrorJudge(model, self._claims, self.header.property)
        return NoJudge()

    def run_judge(self, model: Model[Any]) -> RunJudge:
        """Judge of the whole run, if it was saved for what it does for ever."""
        claim, loop = self.claim, self.header.loop
        if claim is None or claim.kind not in LIVENESS or loop is None:
            return NoRunJudge()
        # Imported only here: most runs show a state or a step.
        from replicheck.explorer.liveness.lasso_judge import LassoJudge

        fairness = fairness_of(self.system, self.protocol.name)
        return LassoJudge(model, claim, fairness, loop)


@contextmanager
def foreign_states(path: Path) -> Iterator[None]:
    """Context in which an error of a model on the states of a file has a message.

    Raises:
        BadInput: if a function of the model raises: a digest does not keep a file from
            having values of other types than the model has.
    """
    try:
        yield
    except (click.ClickException, ModelChanged, CannotTake, OSError):
        raise
    except Exception as error:
        reason = message_of(error)
        raise BadInput(
            f"{path}: the present model cannot take its states: {reason}"
        ) from error


def _with_claims(system: System, header: Header, claims: Names) -> System:
    """The system with the properties of the user's own that a run may be about.

    Raises:
        BadInput: if there is no such property.
    """
    kind: PropertyKind = "steps" if header.kind == Kind.STEP.value else "invariants"
    try:
        return with_own_properties(system, claims, kind)[0]
    except ScenarioError as error:
        raise BadInput(str(error)) from error


def load_trace(
    catalogue: Catalogue, header: Header, protocol: str | None = None
) -> LoadedTrace:
    """A run with its system, under another protocol if one is named.

    Raises:
        BadInput: if there is no such model or protocol, or it cannot have a reduction.
    """
    place = Place(header.scenario)
    model = known_as(header.model, catalogue.systems)
    if model not in catalogue.systems:
        raise BadInput(str(no_model(place, header.model, catalogue)))
    system = _with_claims(catalogue.systems[model], header, tuple(catalogue.claims))
    known = system.protocols_by_name
    wanted = protocol or header.protocol
    if wanted not in known:
        where = Place("--protocol") if protocol else place
        raise BadInput(str(where.unknown("protocol", wanted, known)))
    for name in header.reductions:
        if name not in system.reductions_by_name:
            error = place.unknown("reduction", name, system.reductions_by_name)
            raise BadInput(str(error))
    try:
        system.protocol(wanted, header.reductions)
    except ValueError as error:
        raise BadInput(str(place.error(str(error)))) from error
    return LoadedTrace(header, system, known[wanted], model)
