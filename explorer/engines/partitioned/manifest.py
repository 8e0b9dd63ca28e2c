"""Manifests: what makes files a level, and levels a search.

``manifest.json`` in the folder of the checkpoint says what is searched and where the
store is. In the store, ``level-N/manifest.json`` names the files of level N. It is
written last, and with it the level is complete: whatever no manifest names is left over
from an attempt that failed. Each has the checksum of the one before, so that levels of
two searches do not mix.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import cattrs
from attrs import asdict, evolve, frozen

from replicheck.explorer.engine import MANIFEST, CheckpointSettings
from replicheck.explorer.engines.partitioned.exchange.messages import Merged
from replicheck.explorer.engines.partitioned.store.store import Piece, Store, folder_of
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.atomic_files import store, sync_folder
from replicheck.explorer.runtime.digest import digest
from replicheck.explorer.runtime.sealed_json import SealedJson
from replicheck.explorer.search.property_status import Decision
from replicheck.explorer.states.encoding import Encoding

SEARCH = SealedJson("partitioned search", schema=5)
LEVEL = SealedJson("level", schema=10)


@frozen
class LevelManifest:
    """A complete level, and how far the search was when it was complete.

    ``buckets`` has one entry for each bucket; ``known`` are the files of what was
    agreed on with this level; ``generated``, ``enabled`` and ``cuts`` are those of all
    levels before, and ``seconds`` how long the search took. ``held`` names the
    properties that have a premise that held. ``sample`` is the file of the sampled
    states of all levels before, if there is one.
    """

    number: int
    buckets: Sequence[Merged]
    known: Sequence[Piece]
    sample: Piece | None
    generated: Sequence[int]
    enabled: Sequence[int]
    cuts: Mapping[str, int]
    held: Sequence[str]
    decisions: Sequence[Decision]
    seconds: float
    before: str = ""
    """The checksum of the manifest of the level before."""

    @property
    def count(self) -> int:
        """The number of states."""
        return sum(bucket.count for bucket in self.buckets)

    def place_of(self, bucket: int, place: int) -> int:
        """The place in the level of a state at a place of a bucket."""
        return place + sum(before.count for before in self.buckets[:bucket])

    def bucket_at(self, place: int) -> tuple[Merged, int]:
        """The bucket that has the state at a place, and its place there."""
        for bucket in self.buckets:
            if place < bucket.count:
                return bucket, place
            place -= bucket.count
        raise IndexError(place)

    @property
    def content(self) -> bytes:
        """The manifest."""
        return LEVEL.close(cattrs.unstructure(self))

    @property
    def lasting(self) -> set[str]:
        """The names of the files that later levels need for ever."""
        return {
            piece.name
            for piece in (*self.known, *(bucket.path for bucket in self.buckets))
            if piece is not None
        } | {f"{folder_of(self.number)}/{MANIFEST}"}

    @property
    def passing(self) -> set[str]:
        """The names of the files that are needed until the next level."""
        of_buckets = [
            piece
            for bucket in self.buckets
            for piece in (
                bucket.states,
                bucket.fingerprints,
                *(r.piece for r in bucket.runs),
            )
        ]
        return {piece.name for piece in (self.sample, *of_buckets) if piece is not None}


def begin(
    keep: CheckpointSettings,
    uri: str,
    digest: Mapping[str, str],
    form: Mapping[str, Any],
    encoding: Encoding,
) -> None:
    """Write what is searched, and where.

    Args:
        encoding: that of the search.
    """
    body = {
        "store": uri,
        "model": dict(digest),
        "recipe": dict(keep.recipe),
        "form": dict(form),
        "encoding": asdict(encoding),
    }
    store(keep.folder, MANIFEST, SEARCH.close(body))
    sync_folder(keep.folder)


def reopen(keep: CheckpointSettings, form: Mapping[str, Any]) -> tuple[str, Encoding]:
    """URI of the store of a search that is to go on, and the columns of split sets.

    Raises:
        CheckpointError: if there is none, or it is of another search.
    """
    body = SEARCH.open(keep.folder / MANIFEST)
    wanted = {**json.loads(json.dumps(dict(keep.recipe))), **form}
    was = {**body["recipe"], **body["form"]}
    for name in dict.fromkeys([*was, *wanted]):
        if was.get(name) != wanted.get(name):
            raise CheckpointError(
                f"the checkpoint in {keep.folder} is of another search: {name} is"
                f" {was.get(name)}, expected {wanted.get(name)}; go on with what it is"
                " of, or start again"
            )
    uri: str = body["store"]
    return uri, Encoding.of_json(body["encoding"])


def require_same(keep: CheckpointSettings, digest: Mapping[str, str]) -> None:
    """Refuse the search of another model.

    Raises:
        CheckpointError: if it is of one.
    """
    body = SEARCH.open(keep.folder / MANIFEST)
    for what, known in digest.items():
        if body["model"].get(what) != known:
            raise CheckpointError(
                f"the checkpoint in {keep.folder} is of another model: its {what}"
                " differ from those at hand; go on with the version that wrote it, or"
                " start again"
            )


class LevelManifests:
    """The complete levels of a search, in a store."""

    def __init__(self, files: Store) -> None:
        self.files = files
        self.levels: list[LevelManifest] = []
        self._last = ""

    def read(self) -> None:
        """Read all manifests.

        Raises:
            CheckpointError: if one is torn, or of another search.
        """
        while content := self.files.get(self._name(len(self.levels))):
            where = f"{self.files.place}/{self._name(len(self.levels))}"
            body = LEVEL.body(content, where)
            level = cattrs.structure(body, LevelManifest)
            if level.before != self._last or level.number != len(self.levels):
                raise CheckpointError(
                    f"{where} is of another search than the level before it; start"
                    " again"
                )
            self.levels.append(level)
            self._last = digest(content)
        if not self.levels:
            raise CheckpointError(
                f"{self.files.place}/{self._name(0)} is missing: the store was emptied,"
                " or is another one; start again"
            )

    def commit(self, level: LevelManifest) -> LevelManifest:
        """Make a level complete; what only the level before needed is removed.

        Raises:
            OSError: if the store cannot be written.
        """
        whole = evolve(level, before=self._last)
        content = whole.content
        self.files.put(self._name(whole.number), content)
        unneeded = self.levels[-1].passing - whole.passing if self.levels else set()
        self.levels.append(whole)
        self._last = digest(content)
        self.files.remove(sorted(unneeded))
        self._collect(folder_of(kept.number) for kept in self.levels[-2:])
        return whole

    def collect(self) -> None:
        """Remove what no manifest names."""
        self._collect([folder_of(n) for n in range(len(self.levels) + 1)])

    def _collect(self, folders: Iterable[str]) -> None:
        named = set(self.levels[-1].passing)
        for level in self.levels:
            named |= level.lasting
        for folder in folders:
            names = self.files.names(folder)
            self.files.remove([name for name in names if name not in named])

    @property
    def known(self) -> list[Piece]:
        """The files of all broadcasts so far."""
        return [piece for level in self.levels for piece in level.known]

    def _name(self, number: int) -> str:
        return f"{folder_of(number)}/{MANIFEST}"
