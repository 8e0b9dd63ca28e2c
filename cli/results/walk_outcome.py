"""What the random walks of a task found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.results.assessment import CODES
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.report import Violation

INCOMPLETE = frozenset({"interrupted", "memory"})
"""What ends walks before they have come as far as they were to."""


@frozen
class WalkOutcome:
    """What the walks of one task found, and where the trace of it is.

    ``violation`` is by the minimised run, ``walked`` the number of states of the walk.
    ``unit`` is what is counted; ``extra`` are lines that are told, and entries of the
    JSON document.
    """

    task: Task
    seed: int
    simulations: tuple[Simulation[Any], ...]
    violation: Violation[Any] | None = None
    walked: int = 0
    file: Path | None = None
    covered: float = 0.0
    """The least share that each simulation was to cover."""
    unit: str = "walks"
    extra: Mapping[str, str] = field(factory=dict)
    slow: tuple[str, ...] = ()
    """Words for functions that learning cannot make fast."""

    @property
    def code(self) -> ExitCode:
        """The exit code; not to have refuted anything is as expected."""
        return most_severe(self._codes())

    def _codes(self) -> Iterator[ExitCode]:
        if self.violation is not None:
            yield CODES[self.violation.kind]
        if not any(simulation.has_walked for simulation in self.simulations):
            yield ExitCode.INCOMPLETE
        for simulation in self.simulations:
            if simulation.failure is not None:
                yield ExitCode.MODEL_ERROR
            if simulation.cut in INCOMPLETE:
                yield ExitCode.INCOMPLETE
            elif simulation.cut is not None and simulation.covered < self.covered:
                yield ExitCode.EXPECTATION
