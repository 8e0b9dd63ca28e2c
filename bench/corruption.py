"""How many corrupted or dropped observations of a run are still explained.

    python bench/corruption.py tests/observations/runs/leaders_directory.jsonl

A corruption changes one number or truth value in one label. The last observation of a
stream can be dropped without a trace, so those are counted apart.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import evolve

from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.invariants.catalogue.catalogue import Catalogue

EFFORT = Effort(nodes=1500)
CATALOGUE = Catalogue.shipped()


def number_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of the numbers and truth values in a label."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from number_paths(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from number_paths(part, (*path, index))
    elif isinstance(value, int):
        yield path


def corrupt(observation: Observation, path: tuple[Any, ...]) -> Observation:
    """Observation with another value at one path of its label."""
    label: Any = copy.deepcopy(dict(observation.label))
    *keys, last = path
    place = label
    for key in keys:
        place = place[key]
    value = place[last]
    place[last] = not value if isinstance(value, bool) else value + 1
    return evolve(observation, label=label)


def is_explained(file: ObservationFile) -> bool:
    """Tell whether a run is found."""
    found = validate(CATALOGUE, file, "corrupted", EFFORT)
    return found.explanation.ending is ExplanationEnding.EXPLAINED


def main(paths: list[Path]) -> None:
    """Print for each file how many changes go unnoticed, and which."""
    for path in paths:
        file = load(path)
        seen = file.observations
        last = {observation.stream: i for i, observation in enumerate(seen)}
        changed, dropped = [], []
        total = 0
        for index, observation in enumerate(seen):
            for place in number_paths(observation.label):
                total += 1
                others = (
                    *seen[:index],
                    corrupt(observation, place),
                    *seen[index + 1 :],
                )
                if is_explained(evolve(file, observations=others)):
                    changed.append(f"{observation.stream} {place}")
            left = (*seen[:index], *seen[index + 1 :])
            if is_explained(evolve(file, observations=left)):
                is_last = last[observation.stream] == index
                dropped.append(f"{observation.stream}{' (last)' if is_last else ''}")
        print(f"{path.stem}: explained {len(changed)} of {total} corruptions,", end=" ")
        print(f"{len(dropped)} of {len(seen)} drops")
        for unnoticed in (*changed, *dropped):
            print(f"  {unnoticed}")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
