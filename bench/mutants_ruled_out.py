"""Which mutants of `cluster` the runs of real clusters rule out.

    python bench/mutants_ruled_out.py [--nodes N] tests/observations/runs/*.jsonl

A mutant is ruled out by a file if the whole search finds no run of the mutant, and the
protocol that it mutates explains the file. A search that a limit cut rules out nothing.
Where the run that explains a file is one of the mutant, too, the mutant explains the
file, and nothing is searched: what the mutant changes was not met in that run. So a
mutant that no file rules out is one of three: *not met* in any file, *explained* by
another run where it was met, or *undecided*.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, evolve, field, frozen

from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.observed_model import ObservedModel
from replicheck.cli.tasks.called_actions import called_as
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    Explanation,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.rest import Rest
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.model.protocol import Protocol

CATALOGUE = Catalogue.shipped()
MUTANTS = CATALOGUE.systems["cluster"].mutations
NODES = 20_000
RULED_OUT, UNDECIDED, EXPLAINED = "ruled out", "undecided", "explained"
NOT_MET = "not met"
NOT_SHARED = "not explained by what it mutates"
FAILED = "its model fails"


@frozen
class Outcome:
    """What becomes of a mutant, with the files and the nodes that say so."""

    answer: str
    files: tuple[str, ...] = ()
    nodes: int = 0


@define
class ObservedRun:
    """A file of observations, and what explains it by each protocol."""

    name: str
    file: ObservationFile
    effort: Effort
    _explanations: dict[str, Explanation] = field(init=False, factory=dict)

    def model(self, protocol: str) -> ObservedModel:
        """What the observations are laid beside, by a protocol of `cluster`."""
        header = evolve(self.file.header, model="cluster", protocol=protocol)
        return ObservedModel.of(CATALOGUE, evolve(self.file, header=header), self.name)

    def explanation(self, protocol: str) -> Explanation:
        """What validation with a protocol comes to, searched once."""
        if protocol not in self._explanations:
            self._explanations[protocol] = self.model(protocol).explain(self.effort)
        return self._explanations[protocol]

    def outcome(self, mutant: Protocol) -> Outcome:
        """What this file says of a mutant."""
        original = mutant.original or mutant
        right = self.explanation(original.name)
        if right.ending is not ExplanationEnding.EXPLAINED:
            return Outcome(NOT_SHARED)
        asked = self.model(mutant.name)
        if is_run(right.trace, Rest(asked.state_table(), asked.own), mutant):
            return Outcome(NOT_MET)
        try:
            found = self.explanation(mutant.name)
        except AssertionError:
            return Outcome(FAILED, (self.name,))
        answers = {
            ExplanationEnding.NOT_EXPLAINED: RULED_OUT,
            ExplanationEnding.UNDECIDED: UNDECIDED,
            ExplanationEnding.EXPLAINED: EXPLAINED,
        }
        return Outcome(answers[found.ending], (self.name,), found.nodes)


def is_run(trace: Trace[object], rest: Rest, mutant: Protocol) -> bool:
    """Tell whether a run of the protocol that is mutated is one of the mutant.

    It must be at rest in the end for the mutant, too, if the observations are.
    """
    called, table = called_as(mutant), rest.table
    numbers = [table.numbered(state) for state in trace.states]
    table.expand(numbers[:-1])
    return rest.is_at(numbers[-1]) and all(
        any(
            successor.after == after
            and called[successor.action.name] == step.action
            and dict(successor.action.arguments) == step.arguments
            for successor in table.successors(before)
        )
        for before, after, step in zip(numbers, numbers[1:], trace.steps, strict=False)
    )


def outcome(mutant: Protocol, runs: Sequence[ObservedRun]) -> Outcome:
    """What becomes of a mutant: the first file that rules it out, or all that do not.

    The answer of a mutant is that of some file: the first there is of ruled out,
    undecided, failed, explained, not met.
    """
    found: dict[str, list[Outcome]] = {}
    for run in runs:
        answer = run.outcome(mutant)
        if answer.answer == RULED_OUT:
            return answer
        found.setdefault(answer.answer, []).append(answer)
    for kind in (UNDECIDED, FAILED, EXPLAINED, NOT_MET):
        if kind in found:
            names = tuple(name for answer in found[kind] for name in answer.files)
            return Outcome(kind, names, sum(answer.nodes for answer in found[kind]))
    return Outcome(NOT_SHARED)


def runs_of(paths: Sequence[Path], effort: Effort) -> Iterator[ObservedRun]:
    """Files of observations, the shortest first."""
    files = [(path.stem, load(path)) for path in paths]
    for name, file in sorted(files, key=lambda item: len(item[1].observations)):
        yield ObservedRun(name, file, effort)


def main(paths: Sequence[Path], effort: Effort) -> None:
    """Print what becomes of each mutant, and count it."""
    runs = list(runs_of(paths, effort))
    counts: Counter[str] = Counter()
    for mutant in MUTANTS:
        found = outcome(mutant, runs)
        counts[found.answer] += 1
        files = ", ".join(found.files) or "any file"
        print(
            f"{mutant.name}: {found.answer}, {files}, {found.nodes:,} nodes", flush=True
        )
    print(", ".join(f"{number} {found}" for found, number in counts.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--nodes", type=int, default=NODES)
    asked = parser.parse_args()
    main(asked.paths, Effort(nodes=asked.nodes))
