"""Random faults for some time, every run validated, and those kept that failed.

    python tests/real/nightly.py FOLDER [--minutes N] [--kafka VERSION] [--seed S]

Each run has the next seed. The folder of a run that is explained, and breaks no
property, is removed; the others stay, each with its logs, its observations and its
answer. Exit code: 0 if all are explained, else 1.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from kafka_classpath import COORDINATES
from recorded_runs import RecordedRun, RunPlan, record

ANSWERS = {
    0: "explained",
    10: "not explained",
    12: "invariant violated",
    13: "step property violated",
    77: "undecided",
}
Recorder = Callable[[RunPlan, Path], RecordedRun]


def runs_until(
    end: float, plans: Iterator[RunPlan], folder: Path, recorder: Recorder = record
) -> Iterator[RecordedRun]:
    """Make runs until a time of the monotonic clock; keep what failed."""
    for plan in plans:
        if time.monotonic() >= end:
            return
        found = recorder(plan, folder)
        if found.is_explained:
            shutil.rmtree(folder / plan.name)
        yield found


def answer_of(run: RecordedRun) -> str:
    """What a run came to, in a few words."""
    return ANSWERS.get(run.code, f"failed with exit code {run.code}")


def main() -> int:
    """Make runs, say of each what it came to, and count the answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kafka", choices=COORDINATES, default="2.5.1")
    parser.add_argument("--protocol", default="", help="inter.broker.protocol.version")
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    asked = parser.parse_args()
    plans = (
        RunPlan(asked.kafka, seed=seed, protocol=asked.protocol)
        for seed in count(asked.seed)
    )
    end = time.monotonic() + 60 * asked.minutes
    answers: Counter[str] = Counter()
    for run in runs_until(end, plans, asked.folder.resolve()):
        answers[answer_of(run)] += 1
        print(f"{run.plan.name}: {run.seconds:.0f} s: {answer_of(run)}", flush=True)
    print(", ".join(f"{n} {answer}" for answer, n in sorted(answers.items())))
    return int(set(answers) != {ANSWERS[0]})


if __name__ == "__main__":
    sys.exit(main())
