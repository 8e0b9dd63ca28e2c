"""Take real clusters through scenarios, and validate what was observed of them.

    python tests/real/run_cluster.py FOLDER [--kafka VERSION] [SCENARIO | SEED ...]

FOLDER gets a folder for each run: the logs, the observations, and the answer. A number
is the seed of random faults. Needs Java, Maven, and `pip install replicheck[real]`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fault_scenarios import SCENARIOS
from kafka_classpath import COORDINATES
from recorded_runs import NAMED, RANDOM, RunPlan, record


def main() -> int:
    """Make each run, print what it came to; 1 if one is not explained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", nargs="*", metavar="SCENARIO | SEED")
    parser.add_argument("--kafka", choices=COORDINATES, default="2.5.1")
    parser.add_argument("--protocol", default="", help="inter.broker.protocol.version")
    asked = parser.parse_intermixed_args()
    unknown = [r for r in asked.runs if not r.isdigit() and r not in NAMED]
    if unknown:
        parser.error(f"no scenario {unknown[0]}; known: {', '.join(NAMED)}")
    codes = []
    for run in asked.runs or SCENARIOS:
        scenario, seed = (RANDOM, int(run)) if run.isdigit() else (run, 0)
        plan = RunPlan(asked.kafka, scenario, seed, asked.protocol)
        found = record(plan, asked.folder.resolve())
        answer = found.text.splitlines()[0] if found.text else f"code {found.code}"
        print(f"{plan.name}: {found.seconds:.0f} s: {answer}", flush=True)
        codes.append(found.code)
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
