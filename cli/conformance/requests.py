"""What a command line asks of conformance: runs and scenarios, of one model each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    counterexamples,
    saved_run,
    written_run,
)
from replicheck.cli.conformance.session import under
from replicheck.cli.console.errors import BadInput
from replicheck.cli.saved_traces.trace_reading import read_trace, read_trace_header
from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.model.protocol import Protocol

TRACE = ".jsonl"


@frozen
class Requests:
    """Names of scenarios and of files with saved runs, and changes of the bounds."""

    catalogue: Catalogue
    names: tuple[str, ...]
    bounds: Mapping[str, object] | None = None

    def require_models(self, models: tuple[str, ...], version: str) -> None:
        """Refuse scenarios and runs of other models than the harness of a version has.

        Raises:
            BadInput: if there is one.
        """
        for name in self.names:
            for model in self._models(name):
                if model not in models:
                    raise BadInput(
                        f"{name} is of the model {model}; expected a scenario or a run"
                        f" of {' or '.join(models)}, whose steps the harness of Kafka"
                        f" {version} can take (see --kafka)"
                    )

    def asks_for(self, model: str) -> bool:
        """Tell whether a scenario or a run of a model is named."""
        return any(model in self._models(name) for name in self.names)

    def scenarios(self, system: System, protocol: Protocol) -> list[Scenario]:
        """Named scenarios of a model, under a protocol."""
        own = tuple(
            name
            for name in self.names
            if not name.endswith(TRACE) and system.name in self._models(name)
        )
        if not own:
            return []
        overrides = Overrides(
            DEFAULT_ENGINE, protocol.name, self.bounds, (), reductions=None
        )
        return [task.scenario for task in tasks(self.catalogue, own, overrides)]

    def runs(self, system: System, protocol: Protocol) -> Iterator[RecordedRun]:
        """Yield the named saved runs of a model, to be taken under a protocol."""
        for name in self.names:
            if name.endswith(TRACE) and system.name in self._models(name):
                saved = read_trace(self.catalogue, Path(name))
                yield saved_run(Path(name).name, saved, protocol.name, system)

    def _models(self, name: str) -> set[str]:
        if name.endswith(TRACE):
            return {read_trace_header(Path(name)).model}
        return {scenario.model for scenario in self.catalogue.choose(name).scenarios}


def runs_of_suite(
    catalogue: Catalogue, suite: str, system: System, protocol: Protocol
) -> Iterator[RecordedRun]:
    """Yield the runs that a suite's scenarios of a model write out or expect."""
    seen = set()
    for task in tasks(catalogue, (suite,), Overrides(DEFAULT_ENGINE, None, None, ())):
        if task.system.name != system.name or task.scenario.name in seen:
            continue
        seen.add(task.scenario.name)
        run = written_run(under(task.scenario, protocol), system)
        if run is not None:
            yield run
        if task.scenario.protocol == protocol.name:
            yield from counterexamples(task)
