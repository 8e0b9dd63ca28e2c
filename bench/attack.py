"""Tries hostile inputs of every kind, and counts those that a command does not survive.

``python bench/attack.py [--inputs N] [--seed S] [KIND ...]`` takes the kinds of
``tests/helpers/hostile/``: arguments, questions, conformance, suites, models, traces,
"run folders", mutants, observations, logs and requests. Writes a line in Markdown for
each kind, and each failure to standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))

from hostile.attacks import problem_with
from hostile.hostile_requests import hostile_requests, running_server, status_of
from hostile.kinds import KINDS

T = TypeVar("T")
REQUESTS = "requests"
SERVER_ERROR = 500


def main() -> None:
    """Try the inputs of each kind that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    kinds = options.kinds or [*KINDS, REQUESTS]
    print("| kind | inputs | failed |\n| --- | ---: | ---: |", flush=True)
    for kind in kinds:
        tried, failed = _try(kind, options.inputs // len(kinds), options.seed)
        print(f"| {kind} | {tried:,} | {failed} |", flush=True)


def _try(kind: str, inputs: int, number: int) -> tuple[int, int]:
    """How many inputs of a kind were tried, and how many of them failed."""
    if kind != REQUESTS:
        return _count(KINDS[kind](), problem_with, inputs, number)
    with running_server() as port:

        def problem(request: tuple[bytes, bytes]) -> str:
            status = status_of(port, *request)
            return f"status {status}" if (status or 0) >= SERVER_ERROR else ""

        return _count(hostile_requests(), problem, inputs, number)


def _count(
    strategy: st.SearchStrategy[T],
    problem_of: Callable[[T], str],
    inputs: int,
    number: int,
) -> tuple[int, int]:
    problems = []

    @seed(number)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def attempt(value: T) -> None:
        problem = problem_of(value)
        problems.append(problem)
        if problem:
            print(f"{problem}: {str(value)[:2000]}", file=sys.stderr, flush=True)

    attempt()
    return len(problems), sum(map(bool, problems))


if __name__ == "__main__":
    main()
