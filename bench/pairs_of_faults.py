"""Searches scenarios of KIP-112 with each pair of further faults.

Each scenario is searched once for each two kinds of fault, and once for two faults of
each kind: so many more are allowed than the scenario has. A property that one of the
two violates alone, as the suite ``further-faults`` says, is not asked again. What is
found becomes the suite ``pairs-of-faults``, and the tables of its page in ``docs``. A
search that the suite has as complete is not done again, nor one that was cut at as many
states; delete its entry to have it done anew.
"""

from __future__ import annotations

import argparse
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from pathlib import Path

from attrs import evolve

import further_faults
from further_faults import (
    KINDS,
    Entry,
    can_happen,
    is_searched,
    outcome,
    searched,
    write_between,
    write_suite,
)
from replicheck.cli.tasks.task import Overrides
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.scenario import Scenario

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "invariants" / "suites" / "pairs-of-faults.toml"
PAGE = ROOT / "docs" / "pairs-of-faults.md"
MARKS = ("<!-- pairs of faults -->\n", "<!-- end of pairs of faults -->\n")
SCENARIOS = (
    "leader-disk-fails",
    "broker-starts-with-failed-disk",
    "failed-disk-is-replaced",
    "controller-fails-with-disk-offline",
    "offline-replica-is-reassigned",
    "topic-deleted-with-disk-offline",
)
"""One of each of the scenarios 2, 3, 4, 6, 7 and 8 of KIP-112."""
REDUCTIONS = ("skip-redundant-responses", "merge-redundant-responses")
SUMMARY = "Scenarios of KIP-112 with each pair of further faults"
Pair = tuple[str, str]
Entries = dict[tuple[str, Pair], Entry]
"""The entries by scenario and kinds of fault."""


def bounds_of(scenario: Scenario, pair: Pair) -> dict[str, int]:
    """The bounds to change so that one more fault of each of two kinds can happen."""
    more = Counter(pair)
    return {kind: scenario.bounds[kind] + count for kind, count in more.items()}


def pairs_of(scenario: Scenario) -> Iterator[Pair]:
    """Yield the pairs both of which can happen, each in the order of the kinds."""
    for first, second in combinations_with_replacement(KINDS, 2):
        with_second = evolve(
            scenario,
            bounds={**scenario.bounds, **bounds_of(scenario, (second, second))},
        )
        with_first = evolve(
            scenario, bounds={**scenario.bounds, **bounds_of(scenario, (first, first))}
        )
        if can_happen(with_second, first) and can_happen(with_first, second):
            yield first, second


def known() -> Entries:
    """The entries of the suite."""
    if not SUITE.exists():
        return {}
    entries: Entries = {}
    for entry in tomllib.loads(SUITE.read_text("utf-8"))["check"]:
        kinds = [kind for kind in KINDS if kind in entry["bounds"]]
        entries[entry["scenario"], (kinds[0], kinds[-1])] = entry
    return entries


def violated_alone(singles: Mapping[Pair, Entry], name: str, pair: Pair) -> set[str]:
    """The properties that one fault of a pair violates without the other.

    ``singles`` are the entries of `further_faults`.
    """
    found: set[str] = set()
    for kind in pair:
        entry = singles.get((name, kind), {"expect": {}})
        found |= set(entry["expect"].get("violations", {}))
    return found


def table(catalogue: Catalogue, entries: Entries) -> str:
    """A matrix of kinds for each scenario, and the list of what is violated."""
    lines = [line for name in SCENARIOS for line in matrix(catalogue, name, entries)]
    lines += ["| scenario | faults | violated | states |", "|---|---|---|---|"]
    for (name, pair), entry in ordered(catalogue, entries):
        for each, length in entry["expect"].get("violations", {}).items():
            lines.append(f"| {name} | {' + '.join(pair)} | `{each}` | {length} |")
    return "\n".join(lines) + "\n"


def matrix(catalogue: Catalogue, name: str, entries: Entries) -> Iterator[str]:
    """Yield the lines of the matrix of one scenario, below its name."""
    possible = set(pairs_of(catalogue.scenarios[name]))
    heads = " | ".join(f"`{kind}`" for kind in KINDS)
    yield from (f"### {name}", "", f"| | {heads} |", "|---" * (len(KINDS) + 1) + "|")
    for number, first in enumerate(KINDS):
        cells = [""] * number
        for second in KINDS[number:]:
            entry = entries.get((name, (first, second)))
            if (first, second) not in possible:
                cells.append("never")
            else:
                cells.append("not tried" if entry is None else outcome(entry))
        yield f"| `{first}` | " + " | ".join(cells) + " |"
    yield ""


def ordered(
    catalogue: Catalogue, entries: Entries
) -> list[tuple[tuple[str, Pair], Entry]]:
    """The entries by scenario and pair."""
    keys = [
        (name, pair)
        for name in SCENARIOS
        for pair in pairs_of(catalogue.scenarios[name])
    ]
    return [(key, entries[key]) for key in keys if key in entries]


def main() -> None:
    """Search what is asked for, and write what was found after each search."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=SCENARIOS, action="append")
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    catalogue = Catalogue.shipped()
    entries, singles = known(), further_faults.known()
    for name in [] if options.table else options.scenario or SCENARIOS:
        for pair in pairs_of(catalogue.scenarios[name]):
            if is_searched(entries.get((name, pair)), options.states):
                continue
            started = time.process_time()
            bounds = bounds_of(catalogue.scenarios[name], pair)
            choices = Overrides("breadth-first", bounds=bounds, reductions=REDUCTIONS)
            alone = violated_alone(singles, name, pair)
            entry = searched(catalogue, name, choices, options.states, alone)
            entries[name, pair] = entry
            print(name, entry["bounds"], entry["expect"], end=" ")
            print(f"{time.process_time() - started:.0f} s of CPU", flush=True)
            kept = (each for _, each in ordered(catalogue, entries))
            write_suite(SUITE, "pairs_of_faults", SUMMARY, kept)
    write_between(PAGE, MARKS, table(catalogue, entries))


if __name__ == "__main__":
    main()
