"""How many changes of what was observed are still explained.

    python bench/corruption.py [--every N] [--nodes N] tests/observations/runs/*.jsonl

A corruption changes one value in one label: a number by one, a truth value, a text, or
null. A drop leaves out one observation, a swap lets two neighbours of one stream change
places. The last observation of a stream can be dropped without a trace, so those are
marked. Undecided is what a limit cut; it is counted apart, and is no refusal. With
``--every N`` one change in N is tried. A file that is not explained is left out.
"""

from __future__ import annotations

import argparse
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.observed_model import ObservedModel, StateTableKey
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
from replicheck.invariants.catalogue.errors import ScenarioError

NODES = 60_000
MOST_STATES = 400_000
CATALOGUE = Catalogue.shipped()
NOT_REFUSED = (ExplanationEnding.EXPLAINED.value, ExplanationEnding.UNDECIDED.value)
Observations = tuple[Observation, ...]
Change = tuple[str, str, Observations]
"""The kind of a change, where it is, and the observations with it."""


def value_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of the numbers, truth values, texts and nulls in a label."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from value_paths(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from value_paths(part, (*path, index))
    else:
        yield path


def another(value: Any) -> Any:
    """A value that differs from one in a label."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return 0 if value is None else f"{value}_OTHER"


def corrupt(observation: Observation, path: tuple[Any, ...]) -> Observation:
    """Observation with another value at one path of its label."""
    label: Any = copy.deepcopy(dict(observation.label))
    *keys, last = path
    place = label
    for key in keys:
        place = place[key]
    place[last] = another(place[last])
    return evolve(observation, label=label)


def changes(seen: Observations) -> Iterator[Change]:
    """Yield each change of observations."""
    last = {observation.stream: i for i, observation in enumerate(seen)}
    following: dict[str, int] = {}
    for index in reversed(range(len(seen))):
        observation = seen[index]
        stream = observation.stream
        before, after = seen[:index], seen[index + 1 :]
        for path in value_paths(observation.label):
            place = ".".join(map(str, path))
            changed = (*before, corrupt(observation, path), *after)
            yield "corruption", f"{stream}: {place}", changed
        mark = " (last)" if last[stream] == index else ""
        yield "drop", f"{stream}{mark}", (*before, *after)
        if stream in following:
            swapped, other = list(seen), following[stream]
            swapped[index], swapped[other] = swapped[other], swapped[index]
            if seen[index].label != seen[other].label:
                yield "swap", f"{stream}: {observation.source}", tuple(swapped)
        following[stream] = index


@define
class Outcomes:
    """What validation comes to; files that need one model fill one table of states."""

    effort: Effort
    _tables: dict[StateTableKey, StateTable] = field(init=False, factory=dict)

    def of(self, file: ObservationFile) -> str:
        """Ending of the search, or that the file is refused unread."""
        try:
            asked = ObservedModel.of(CATALOGUE, file, "changed")
        except ScenarioError:
            return "refused as no observation"
        table = self._table(asked)
        search = ExplanationSearch(
            table, asked.streams, asked.observed.hidden, self.effort
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


def main(paths: Sequence[Path], every: int, effort: Effort) -> None:
    """Print for each file what becomes of its changes, and those not refused."""
    total: Counter[tuple[str, str]] = Counter()
    for path in paths:
        file, outcomes = load(path), Outcomes(effort)
        if outcomes.of(file) != ExplanationEnding.EXPLAINED.value:
            print(f"{path.stem}: left out", flush=True)
            continue
        found: Counter[tuple[str, str]] = Counter()
        unnoticed = []
        for kind, place, observations in islice(
            changes(file.observations), every // 2, None, every
        ):
            ending = outcomes.of(evolve(file, observations=observations))
            found[kind, ending] += 1
            if ending in NOT_REFUSED:
                unnoticed.append(f"  {ending}: {kind} of {place}")
        print(f"{path.stem}:", told(found), flush=True)
        print(*unnoticed, sep="\n")
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
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=NODES)
    asked = parser.parse_args()
    main(asked.paths, asked.every, Effort(nodes=asked.nodes))
