"""The archive: on disk, the fingerprints of all complete levels and the path to them.

Four journals grow level by level. ``fingerprints`` is a sequence of **runs**, each in
ascending order: first that of all states that were known when the archive began, then
one for each level; ``keys`` has the words that go with each, if any.
``parents`` and ``steps`` hold the path as `path` draws it, the levels one after the
other, without the first, which has no parents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.runtime.journal import Journal

Numbers = npt.NDArray[np.uint32]

TYPES: Mapping[str, npt.DTypeLike] = {
    "fingerprints": np.uint64,
    "keys": np.uint64,
    "parents": np.uint32,
    "steps": np.uint32,
}


class LevelArchive:
    """The journals in a folder, and where their runs and levels end."""

    def __init__(
        self,
        journals: Mapping[str, Journal],
        words: int,
        runs: Iterable[int] = (),
        levels: Iterable[int] = (),
    ) -> None:
        self._journals = dict(journals)
        self.words = words
        """Words of a key."""
        self.runs = list(runs)
        """How many fingerprints there are up to the end of each run."""
        self.levels = list(levels)
        """How many parents there are up to the end of each level of the path."""

    @classmethod
    def begin(cls, folder: Path, words: int) -> Self:
        """An empty archive in a folder; a key has so many words.

        Raises:
            OSError: if the folder cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        journals = {name: Journal(folder / name, kind) for name, kind in TYPES.items()}
        return cls(journals, words)

    @classmethod
    def reopen(cls, folder: Path, known: Mapping[str, Any]) -> Self:
        """The archive in a folder as far as `summary` knew it.

        Raises:
            CheckpointError: if it is not as it was.
        """
        words = known["words"]
        ends = {
            "fingerprints": known["runs"],
            "keys": [words * run for run in known["runs"]],
        }
        journals = {
            name: Journal.reopen(
                folder / name,
                dtype,
                (ends.get(name, known["levels"]) or [0])[-1],
                known["checksums"][name],
            )
            for name, dtype in TYPES.items()
        }
        return cls(journals, words, known["runs"], known["levels"])

    @property
    def summary(self) -> dict[str, Any]:
        """Lengths and checksums that `reopen` must know."""
        checksums = {name: journal.checksum for name, journal in self._journals.items()}
        return {
            "words": self.words,
            "runs": self.runs,
            "levels": self.levels,
            "checksums": checksums,
        }

    @property
    def size(self) -> int:
        """The bytes that it takes on the disk."""
        return sum(journal.bytes for journal in self._journals.values())

    def extend(self, **numbers: npt.NDArray[Any]) -> None:
        """Write numbers behind those of the journals of these names.

        Raises:
            OSError: if the disk is full.
        """
        for name, content in numbers.items():
            self._journals[name].append(content)

    def end_run(self) -> None:
        """Make what was written since the last run a run."""
        self._journals["keys"].mark()
        self.runs.append(self._journals["fingerprints"].mark())

    def end_level(self) -> None:
        """Make what was written since the last level of the path a level."""
        self._journals["parents"].mark()
        self.levels.append(self._journals["steps"].mark())

    def roll_back(self) -> None:
        """Forget what was written since the last run and the last level."""
        for journal in self._journals.values():
            journal.roll_back()

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        for journal in self._journals.values():
            journal.sync()

    def before(self, level: int, place: int) -> tuple[int, int]:
        """Parent and step of the state at a place of a level of the path."""
        place += self.levels[level - 1] if level else 0
        return self._journals["parents"].at(place), self._journals["steps"].at(place)

    def level(self, number: int) -> tuple[Numbers, Numbers]:
        """Parents and steps of the states of a level of the path."""
        low, high = self.levels[number - 1] if number else 0, self.levels[number]
        parents, steps = self._journals["parents"], self._journals["steps"]
        return parents.mapped()[low:high], steps.mapped()[low:high]

    def runs_of_fingerprints(self) -> Iterator[U64Array]:
        """Yield the fingerprints of each run."""
        fingerprints = self._journals["fingerprints"].mapped()
        for low, high in zip([0, *self.runs], self.runs, strict=False):
            yield fingerprints[low:high]

    def keyed_runs(self) -> Iterator[tuple[U64Array, U64Array]]:
        """Yield the fingerprints of each run, and the key of each."""
        keys = self._journals["keys"].mapped()
        low = 0
        for run in self.runs_of_fingerprints():
            high = low + len(run)
            words = keys[low * self.words : high * self.words]
            yield run, words.reshape(len(run), self.words)
            low = high

    def close(self) -> None:
        """Close the files, which stay."""
        for journal in self._journals.values():
            journal.close()
