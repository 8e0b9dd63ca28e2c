"""How many changes of what was observed are still explained, and why.

    python bench/corruption.py [--states N] [--wider N] [--kind drop] [--out DIR]
        FILE.jsonl ...

`changed_observations` says what the changes are. One search tells of all changes of a
file (`change_search`), of ``--states`` states at most, and gives up a change that has
too many of them; those that are left have another search, which gives up later. What
needs wider bounds has searches with those, of ``--wider`` states at most, together with
what needs the same. Their model may have more runs (`fewer_runs`): what they refuse is
refused. What they do not refuse is looked for by the search of `validate`, and what
ended there by a search for each.
``--kind`` asks for changes of that kind alone, and may be repeated. Undecided is what a
limit cut; it is counted apart, and is no refusal. Left out are files that are not
explained, and observations of kinds that the model does not compare.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from change_search import ChangeSearch
from changed_observations import CORRUPTION, KINDS, Change, changes
from fewer_runs import with_fewer_runs, with_simpler_runs
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

STATES, WIDER, BY_ITSELF = 200_000_000, 3_000_000, 15_000_000
"""States of searches for all changes, for those in wider bounds, and for one."""
MOST_OF_A_CHANGE = (100_000, 1_000_000)
"""States after which a search gives a change up, and then another one."""
ALONE = Effort(nodes=5_000)
"""What a search depth first may take before one level by level."""
CATALOGUE = Catalogue.shipped()
EXPLAINED = ExplanationEnding.EXPLAINED.value
REFUSED = ExplanationEnding.NOT_EXPLAINED.value
UNDECIDED = ExplanationEnding.UNDECIDED.value
UNREAD = "refused as no observation"
SHAPE = ("brokers", "spare_brokers", "partitions")
"""Bounds that say what a state has; each other one allows more if it is higher."""


@frozen
class Sweep:
    """All changes of one file, and what becomes of them."""

    file: ObservationFile
    states: int
    wider: int
    kinds: Collection[str] = KINDS
    searched: list[int] = field(factory=list, eq=False)
    """States of each search level by level."""
    tables: dict[StateTableKey, StateTable] = field(factory=dict, eq=False)
    """States that the search of `validate` met, by what they depend on."""

    def is_explained(self) -> bool:
        """Tell whether a run explains the file as it is."""
        return self._depth_first(_observed(self.file), Effort()) == EXPLAINED

    def endings(self) -> Iterator[tuple[Change, str]]:
        """Yield each change with what becomes of it."""
        lacking = LACKS[self.file.header.model]
        asked = [
            change
            for change in changes(self.file.observations)
            if change.stream.partition(" ")[0] not in lacking
            and change.kind in self.kinds
        ]
        unread = set(filter(_is_unread, asked))
        narrower, wider = list[Change](), dict[StateTableKey, list[Change]]()
        controllers = dict(_observed(self.file).controllers)
        for change in asked:
            if change in unread:
                continue
            with_change = _controllers(self._with(change))
            if self._is_narrower(change) and _agree(controllers, with_change):
                controllers |= with_change
                narrower.append(change)
            else:
                key = _observed(self._with(change)).state_table_key
                wider.setdefault(key, []).append(change)
        model = evolve(_observed(self.file), controllers=controllers)
        found = self._together(model, narrower, self.states)
        for several in wider.values():
            model = _observed(self._with(several[0]))
            found |= self._together(model, several, self.wider)
        for change in asked:
            yield change, UNREAD if change in unread else found[change]

    def _with(self, change: Change) -> ObservationFile:
        return evolve(self.file, observations=change.applied_to(self.file.observations))

    def _together(
        self, model: ObservedModel, several: Sequence[Change], states: int
    ) -> dict[Change, str]:
        """What becomes of changes in a model that allows what theirs allow."""
        if not several:
            return {}
        streams, shown = _observed(self.file).streams, with_simpler_runs(model)
        search = ChangeSearch(shown, streams, several)
        endings, ended = dict.fromkeys(several, REFUSED), list[int]()
        cut: Sequence[int] = range(len(several))
        for most in MOST_OF_A_CHANGE:
            if not cut:
                break
            more, cut = self._searched(search, cut, states, most)
            ended += more
        for change in (several[number] for number in (*ended, *cut)):
            asked = _observed(self._with(change))
            endings[change] = self._depth_first(asked, ALONE)
        for change in (several[number] for number in ended):
            if endings[change] == UNDECIDED:
                endings[change] = self._alone(change)
        return endings

    def _searched(
        self, search: ChangeSearch, asked: Sequence[int], states: int, most: int
    ) -> tuple[list[int], list[int]]:
        """Numbers of changes with which a run ends, and of those that a limit cut."""
        outcome = search.found(asked, states, most)
        self.searched.append(outcome.states)
        return sorted(outcome.ended), sorted(outcome.cut)

    def _alone(self, change: Change) -> str:
        """What becomes of a change in its own model."""
        asked = _observed(self._with(change))
        shown = with_fewer_runs(asked)
        outcome = ChangeSearch(shown, asked.streams).found((), BY_ITSELF, BY_ITSELF)
        self.searched.append(outcome.states)
        if outcome.is_explained:
            return EXPLAINED
        return REFUSED if outcome.is_whole else UNDECIDED

    def _depth_first(self, asked: ObservedModel, effort: Effort) -> str:
        """What the search of `validate` comes to; one table has the states of all."""
        key = asked.state_table_key
        if key not in self.tables:
            self.tables[key] = asked.state_table()
        search = ExplanationSearch(
            self.tables[key],
            asked.streams,
            asked.observed.hidden,
            effort,
            asked.own,
        )
        return search.explain().ending.value

    def _is_narrower(self, change: Change) -> bool:
        """Tell whether the model of the file allows what that of the change allows."""
        allowed, wanted = _bounds(self.file), _bounds(self._with(change))
        if any(wanted[name] != allowed[name] for name in SHAPE):
            return False
        return all(wanted[name] <= allowed[name] for name in wanted)


def _observed(file: ObservationFile) -> ObservedModel:
    return ObservedModel.of(CATALOGUE, file, "changed")


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


def _agree(one: Mapping[int, int], two: Mapping[int, int]) -> bool:
    """Tell whether no epoch has two controllers; one more allows more to be shown."""
    return all(two.get(epoch, broker) == broker for epoch, broker in one.items())


def _controllers(file: ObservationFile) -> dict[int, int]:
    return controllers_by_epoch(_in_time(file))


def main(
    paths: Sequence[Path],
    states: int,
    wider: int,
    asked_kinds: Collection[str],
    out: Path | None,
) -> None:
    """Print for each file what becomes of its changes, and those not refused."""
    total: Counter[tuple[str, str]] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    for path in paths:
        begun = time.process_time()
        sweep = Sweep(load(path), states, wider, asked_kinds)
        if not sweep.is_explained():
            print(f"{path.stem}: left out", flush=True)
            continue
        endings = [*sweep.endings()]
        found = Counter((change.kind, ending) for change, ending in endings)
        left = [pair for pair in endings if pair[1] not in (REFUSED, UNREAD)]
        kinds.update((end, f"{one.kind} of {_what(one)}") for one, end in left)
        print(f"{path.stem}:", told(found))
        lines = [
            f"{ending}: {change.kind} of {change.place}" for change, ending in left
        ]
        print(*(f"  {line}" for line in lines), sep="\n", flush=True)
        if out is not None:
            result = {
                "file": path.stem,
                "found": [[*key, count] for key, count in found.items()],
                "left": lines,
                "states": sweep.searched,
                "seconds": round(time.process_time() - begun),
            }
            (out / f"{path.stem}.json").write_text(json.dumps(result, indent=1))
        total += found
    print("in all:", told(total))
    for (ending, what), count in kinds.most_common():
        print(f"  {ending}: {count} {what}")


def _what(change: Change) -> str:
    """What a change is of: kind of stream, key, and whether it is the last."""
    stream, _, what = change.place.partition(":")
    kind = stream.partition(" ")[0]
    if change.kind == CORRUPTION:
        return f"{kind}:{what.partition('(')[0].rstrip()}"
    is_last = len(change.changed) == change.position
    return f"{kind}, the last" if is_last else kind


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
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--wider", type=int, default=WIDER)
    parser.add_argument("--out", type=Path, help="folder of a result for each file")
    parser.add_argument("--kind", choices=KINDS, action="append")
    asked = parser.parse_args()
    main(asked.paths, asked.states, asked.wider, asked.kind or KINDS, asked.out)
