"""How many changes of what was observed are still explained.

    python bench/corruption.py [--nodes N] [--each N] tests/observations/runs/*.jsonl

`changed_observations` says what the changes are. Most are refused by one search for all
changes of a file, of ``--nodes`` nodes at most (`one_change_search`). What a step shows
there, what needs wider bounds, and what took more than ``--each`` nodes has a search of
its own, of so many nodes at most. Undecided is what a limit cut; it is counted apart,
and is no refusal. Left out are files that are not explained, and observations of kinds
that the model does not compare.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import define, evolve, field

from changed_observations import Change, changes
from one_change_search import OneChangeSearch
from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.observed_model import ObservedModel, StateTableKey
from replicheck.cli.observations.observed_systems import LACKS
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.cluster.observed.observed_bounds import (
    bounds_for,
    controllers_by_epoch,
)
from replicheck.invariants.cluster.observed.observed_labels import label_errors

NODES, NODES_EACH = 60_000, 2_000
MOST_STATES = 400_000
CATALOGUE = Catalogue.shipped()
EXPLAINED = ExplanationEnding.EXPLAINED.value
REFUSED = ExplanationEnding.NOT_EXPLAINED.value
UNDECIDED = ExplanationEnding.UNDECIDED.value
UNREAD = "refused as no observation"
SHAPE = ("brokers", "spare_brokers", "partitions")
"""Bounds that say what a state has; each other one allows more if it is higher."""


@define
class Sweep:
    """All changes of one file, and what becomes of them."""

    file: ObservationFile
    nodes: int
    each: Effort
    _tables: dict[StateTableKey, StateTable] = field(init=False, factory=dict)

    def is_explained(self) -> bool:
        """Tell whether a run explains the file as it is."""
        return self._ending(self.file, Effort()) == EXPLAINED

    def endings(self) -> Iterator[tuple[Change, str]]:
        """Yield each change with what becomes of it."""
        lacking = LACKS[self.file.header.model]
        asked = [
            change
            for change in changes(self.file.observations)
            if change.stream.partition(" ")[0] not in lacking
        ]
        read = [change for change in asked if not _is_unread(change)]
        together = self._together(list(filter(self._is_narrower, read)))
        unread = set(asked) - set(read)
        for change in asked:
            if change in unread:
                yield change, UNREAD
            elif change in together:
                yield change, together[change]
            else:
                yield change, self._ending(self._with(change), self.each)

    def _with(self, change: Change) -> ObservationFile:
        return evolve(self.file, observations=change.applied_to(self.file.observations))

    def _together(self, several: Sequence[Change]) -> dict[Change, str]:
        """What becomes of changes in one search for all, where that tells."""
        asked = ObservedModel.of(CATALOGUE, self.file, "as it is")
        search = OneChangeSearch(
            self._table(asked),
            asked.streams,
            asked.observed.hidden,
            several,
            self.nodes,
            self.each.nodes,
        )
        outcome, found = search.outcome(), dict[Change, str]()
        for number, change in enumerate(several):
            if outcome.refused >> number & 1:
                found[change] = REFUSED
            elif outcome.cut >> number & 1:
                found[change] = UNDECIDED
        return found

    def _is_narrower(self, change: Change) -> bool:
        """Tell whether the model of the file allows what that of the change allows."""
        allowed, wanted = _bounds(self.file), _bounds(self._with(change))
        if any(wanted[name] != allowed[name] for name in SHAPE):
            return False
        if any(wanted[name] > allowed[name] for name in wanted):
            return False
        return not allowed["duplicates"] or (
            _controllers(self._with(change)) == _controllers(self.file)
        )

    def _ending(self, file: ObservationFile, effort: Effort) -> str:
        asked = ObservedModel.of(CATALOGUE, file, "changed")
        search = ExplanationSearch(
            self._table(asked), asked.streams, asked.observed.hidden, effort
        )
        return search.explain().ending.value

    def _table(self, asked: ObservedModel) -> StateTable:
        """Table of the states of a model; of too many states, none is kept."""
        if sum(map(len, self._tables.values())) > MOST_STATES:
            self._tables.clear()
        key = asked.state_table_key
        if key not in self._tables:
            self._tables[key] = asked.state_table()
        return self._tables[key]


def _is_unread(change: Change) -> bool:
    """Tell whether a label is none of the model's."""
    return any(
        True for seen in change.changed for _ in label_errors(seen.stream, seen.label)
    )


def _in_time(file: ObservationFile) -> list[tuple[str, Mapping[str, object]]]:
    in_time = sorted(file.observations, key=_begin)
    return [(seen.stream, seen.label) for seen in in_time]


def _begin(seen: Observation) -> int:
    return seen.begin


def _bounds(file: ObservationFile) -> dict[str, int]:
    return {**bounds_for(_in_time(file)), **file.header.bounds}


def _controllers(file: ObservationFile) -> dict[int, int]:
    return controllers_by_epoch(_in_time(file))


def main(paths: Sequence[Path], nodes: int, each: Effort) -> None:
    """Print for each file what becomes of its changes, and those not refused."""
    total: Counter[tuple[str, str]] = Counter()
    for path in paths:
        sweep = Sweep(load(path), nodes, each)
        if not sweep.is_explained():
            print(f"{path.stem}: left out", flush=True)
            continue
        found: Counter[tuple[str, str]] = Counter()
        left = []
        for change, ending in sweep.endings():
            found[change.kind, ending] += 1
            if ending not in (REFUSED, UNREAD):
                left.append(f"  {ending}: {change.kind} of {change.place}")
        print(f"{path.stem}:", told(found))
        print(*left, sep="\n", flush=True)
        total += found
    print("in all:", told(total))


def told(found: Counter[tuple[str, str]]) -> str:
    """Counts of each kind of change by what became of it."""
    kinds = dict.fromkeys(kind for kind, _ in found)
    return "; ".join(
        f"{kind}s "
        + ", ".join(f"{ending} {n}" for (k, ending), n in found.items() if k == kind)
        for kind in kinds
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--each", type=int, default=NODES_EACH)
    asked = parser.parse_args()
    main(asked.paths, asked.nodes, Effort(nodes=asked.each))
