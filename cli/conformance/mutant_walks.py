"""Mutants of the model beside Kafka: which of them random walks tell apart."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from random import Random

from attrs import frozen

from replicheck.cli.conformance.coverage import Coverage
from replicheck.cli.conformance.harness.errors import HarnessUnavailable
from replicheck.cli.conformance.lockstep import Ending, SteppedLockstep, replay
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.conformance.walks import Extent, StepDrawer
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.systems import System

KILLING = (Ending.DIFFERS, Ending.ERROR)
"""Endings of a walk that tell a mutant apart."""


@frozen
class MutantWalks:
    """What came of a mutant: the walks that were taken, and the cells that differ.

    ``cells`` is empty if no walk told it apart, and has the command that Kafka did not
    take, if that is what did.
    """

    mutant: Mutant
    walks: int
    steps: int
    seconds: float
    cells: tuple[str, ...] = ()

    @property
    def is_killed(self) -> bool:
        """Tell whether a walk told it apart."""
        return bool(self.cells)


def comparable(
    mutants: Iterable[Mutant], system: System, protocol: str
) -> tuple[Mutant, ...]:
    """Mutants of a protocol; mutants of another protocol differ from Kafka anyway."""
    known = system.protocols_by_name
    return tuple(
        mutant
        for mutant in mutants
        if mutant.scenario.model == system.name
        and (original := known[mutant.scenario.protocol].original) is not None
        and original.name == protocol
    )


def walk_mutants(
    lockstep: SteppedLockstep,
    mutants: Iterable[Mutant],
    system: System,
    seed: int,
    extent: Extent,
) -> Iterator[MutantWalks]:
    """Walk through the bounds of each mutant until a step is none of Kafka's.

    Args:
        extent: is that of each mutant.

    Raises:
        HarnessUnavailable: if the harness ends, which would tell all others apart.
    """
    for mutant in mutants:
        yield _walked(lockstep, mutant, system, seed, extent)


def _walked(
    lockstep: SteppedLockstep, mutant: Mutant, system: System, seed: int, extent: Extent
) -> MutantWalks:
    protocol = system.protocols_by_name[mutant.scenario.protocol]
    own = lockstep.of(protocol)
    model = model_at_its_beginning(mutant.scenario, system)
    setup = Stepper(model).take(mutant.scenario.setup).steps
    drawer = StepDrawer(model, setup, Coverage(protocol))
    began, steps = time.monotonic(), 0
    for number in range(extent.walks):
        start = next(iter(model.initial_states()))
        walk = drawer.walk(Random(f"{seed} {number}"), extent.steps)
        outcome = replay(own, start, walk)
        steps += len(outcome.steps)
        spent = time.monotonic() - began
        if outcome.error is not None and outcome.error.has_ended:
            raise HarnessUnavailable(f"{mutant.name}: {outcome.error}")
        if outcome.ending in KILLING:
            cells = tuple(d.cell for d in outcome.differences)
            refused = (str(outcome.error),) if outcome.error is not None else ()
            return MutantWalks(mutant, number + 1, steps, spent, cells or refused)
        if extent.seconds is not None and spent > extent.seconds:
            break
    return MutantWalks(mutant, number + 1, steps, spent)
