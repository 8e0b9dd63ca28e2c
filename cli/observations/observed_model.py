"""Observed models: what observations are laid beside, wide enough for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from replicheck.cli.observations.observation_file import AT_REST, ObservationFile
from replicheck.cli.observations.observed_systems import LACKS, STEPS, ObservedSystem
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    Explanation,
)
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.observations import Streams
from replicheck.explorer.engines.trace_validation.rest import NO_STEPS
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.explorer.model import Model
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.resolution import bounds_of
from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.cluster.observed.observed_bounds import (
    bounds_for,
    controllers_by_epoch,
)
from replicheck.invariants.cluster.observed.observed_labels import label_errors

StateTableKey = tuple[str, str, str, tuple[tuple[str, int], ...], Any, frozenset[str]]


@frozen
class ObservedModel:
    """A model within bounds, what its steps show, and the streams that it may explain.

    ``left_out`` counts observations by kind, of kinds for which it has no cell.
    ``controllers`` are those of `ObservedSteps`, ``unobserved`` those of the header.
    ``own`` are the actions of which nothing was left to do when observation ended; none
    if that is not known.
    """

    observed: ObservedSystem
    model: Model[Any]
    protocol: str
    initial: str
    bounds: Mapping[str, int]
    streams: Streams
    left_out: Mapping[str, int]
    controllers: Mapping[int, int]
    unobserved: frozenset[str]
    own: frozenset[str]

    @classmethod
    def of(
        cls, catalogue: Catalogue, file: ObservationFile, place: str
    ) -> ObservedModel:
        """Observed model of a file, as its header says.

        Raises:
            ScenarioError: if the header names a model, protocol, state or bound that
                there is not, or a label is none of the model's.
        """
        header, at = file.header, Place(place)
        if header.model not in STEPS:
            known = "model with observed steps"
            raise at.at("model").unknown(known, header.model, STEPS)
        for number, seen in enumerate(file.observations, 2):
            for problem in label_errors(seen.stream, seen.label):
                raise Place(f"{place}:{number}").at("label").error(problem)
        system = catalogue.systems[header.model]
        protocol = _protocol(system, header.protocol, at)
        if header.initial not in system.initials:
            raise at.at("initial").unknown("state", header.initial, system.initials)
        in_time = sorted(file.observations, key=lambda seen: seen.begin)
        events = [(seen.stream, seen.label) for seen in in_time]
        derived = _derived(system, bounds_for(events), header.bounds, at)
        bounds = bounds_of(system, {**derived, **header.bounds}, at.at("bounds"))
        start = system.initials[header.initial](bounds)
        controllers = controllers_by_epoch(events)
        lacking = LACKS[system.name]
        compared = [seen for seen in file.observations if seen.kind not in lacking]
        observed = ObservedSystem.of(
            system,
            system.protocols_by_name[protocol],
            controllers,
            header.unobserved,
        )
        return cls(
            observed,
            attrs.evolve(
                system.build(system.protocols_by_name[protocol], bounds), start=start
            ),
            protocol,
            header.initial,
            attrs.asdict(bounds),
            Streams.of(compared, header.slack),
            Counter(seen.kind for seen in file.observations if seen.kind in lacking),
            controllers,
            frozenset(header.unobserved),
            observed.own if header.ends == AT_REST else NO_STEPS,
        )

    @property
    def system(self) -> System:
        """The system that the model is of."""
        return self.observed.system

    @property
    def state_table_key(self) -> StateTableKey:
        """What two files must share for one table of states."""
        return (
            self.system.name,
            self.protocol,
            self.initial,
            tuple(self.bounds.items()),
            tuple(sorted(self.controllers.items())),
            self.unobserved,
        )

    def state_table(self) -> StateTable:
        """An empty table of the states of the model."""
        seen = self.observed
        return StateTable(self.model, seen.projection, seen.owed, seen.queued)

    def explain(self, effort: Effort) -> Explanation:
        """What a search for a run that explains the streams comes to."""
        table, hidden = self.state_table(), self.observed.hidden
        search = ExplanationSearch(table, self.streams, hidden, effort, self.own)
        return search.explain()


def _derived(
    system: System, wanted: Mapping[str, int], given: Mapping[str, int], at: Place
) -> dict[str, int]:
    """Bounds that were derived, as far as the system has them."""
    known = {field.name for field in attrs.fields(system.bounds)}
    derived = {name: value for name, value in wanted.items() if name in known}
    for name in sorted(derived.keys() - given.keys()):
        if derived[name] > MOST_OF_A_BOUND:
            raise at.error(
                f"the observations need {name}={derived[name]}, and no bound is above"
                f" {MOST_OF_A_BOUND}: validate a part of them, or set bounds.{name} in"
                " the header"
            )
    return derived


def _protocol(system: System, name: str, place: Place) -> str:
    """Name of a protocol: that of the header, else the first of the system."""
    known = system.protocols_by_name
    if name and name not in known:
        raise place.at("protocol").unknown("protocol", name, known)
    return name or system.protocols[0].name
