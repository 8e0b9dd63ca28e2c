"""Which mutants of `cluster` the runs of real clusters rule out.

    python bench/mutants_ruled_out.py [--nodes N] tests/observations/runs/*.jsonl

A mutant is ruled out by a file that the right protocol explains, if the whole search
finds no run of the mutant. A search that a limit cut rules out nothing: a mutant that
no file rules out is undecided if a limit cut the search of one, else explained.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve

from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.invariants.catalogue.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
NODES = 4_000
RULED_OUT = "ruled out"


def ending(file: ObservationFile, protocol: str, effort: Effort) -> ExplanationEnding:
    """What validation with a protocol of `cluster` comes to."""
    asked = evolve(file, header=evolve(file.header, protocol=protocol))
    return validate(CATALOGUE, asked, "observed", effort).explanation.ending


def explained_files(
    paths: Sequence[Path], effort: Effort
) -> Iterator[tuple[Path, ObservationFile]]:
    """Files that a run of the right protocol explains, the shortest first."""
    files = sorted(((path, load(path)) for path in paths), key=_length)
    for path, file in files:
        if ending(file, "", effort) is ExplanationEnding.EXPLAINED:
            yield path, file


def outcome(
    mutant: str, files: Sequence[tuple[Path, ObservationFile]], effort: Effort
) -> tuple[str, str]:
    """What becomes of a mutant, and the file that says so, if one does."""
    undecided = ""
    for path, file in files:
        found = ending(file, mutant, effort)
        if found is ExplanationEnding.NOT_EXPLAINED:
            return RULED_OUT, path.stem
        if found is ExplanationEnding.UNDECIDED:
            undecided = undecided or path.stem
    return ("undecided", undecided) if undecided else ("explained", "every file")


def main(paths: Sequence[Path], effort: Effort) -> None:
    """Print what becomes of each mutant, and count it."""
    files = list(explained_files(paths, effort))
    counts: Counter[str] = Counter()
    for mutation in CATALOGUE.systems["cluster"].mutations:
        found, file = outcome(mutation.name, files, effort)
        counts[found] += 1
        print(f"{mutation.name}: {found}, {file}", flush=True)
    print(", ".join(f"{number} {found}" for found, number in counts.items()))


def _length(file: tuple[Path, ObservationFile]) -> int:
    return len(file[1].observations)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--nodes", type=int, default=NODES)
    asked = parser.parse_args()
    main(asked.paths, Effort(nodes=asked.nodes))
