"""How long it takes to explain a long run, and how many nodes a second are visited.

    python bench/validation.py [OBSERVATIONS]

A random run of `cluster`, in which records are appended, and brokers crash and start
again and controllers move at rest, is observed with exact clocks, and validated.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))

from observations.observed_runs import observed, quiet_run
from replicheck.cli.observations.observation_file import (
    ObservationFile,
    ObservationHeader,
)
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import Effort
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND

OBSERVATIONS = 10_000
BOUNDS = {
    "brokers": 4,
    "directories": 2,
    "records": MOST_OF_A_BOUND,
    "metadata": 1,
    "isr_notifications": 1,
    "isr_shrinks": MOST_OF_A_BOUND,
    "controller_moves": MOST_OF_A_BOUND,
    "crashes": MOST_OF_A_BOUND,
    "restarts": MOST_OF_A_BOUND,
}


def main() -> None:
    """Print what the validation of a random run takes."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else OBSERVATIONS
    catalogue = Catalogue.shipped()
    system = catalogue.systems["cluster"]
    bounds = system.bounds(**BOUNDS)
    model = attrs.evolve(
        system.build(system.protocols[0], bounds),
        start=system.initials["with-topic"](bounds),
    )
    header = ObservationHeader(initial="with-topic", bounds=BOUNDS, slack=0)
    environment = {action.__name__ for action in system.environment}
    run = quiet_run(model, environment, 10 * wanted, seed=0)
    whole = observed(system, header, run)
    file = ObservationFile(header, whole.observations[:wanted])
    began, cpu = time.monotonic(), time.process_time()
    found = validate(catalogue, file, "observed", Effort(nodes=10 * wanted)).explanation
    wall, used = time.monotonic() - began, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{found.ending.value}: {found.explained:,} of {len(file.observations):,}"
        f" observations, {found.nodes:,} nodes, {wall:.1f} s, {used:.1f} s of CPU,"
        f" {memory:,.0f} MB"
    )


if __name__ == "__main__":
    main()
