"""The partitioned engine: the search of `breadth_first` in pieces that share files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from attrs import field, frozen
from attrs.validators import in_

from replicheck.explorer.engine import MANIFEST, CheckpointSettings, Search
from replicheck.explorer.engines.breadth_first.first_encoding import first_encoding
from replicheck.explorer.engines.partitioned import manifest
from replicheck.explorer.engines.partitioned.driver import Driver
from replicheck.explorer.engines.partitioned.exchange.messages import SearchSpec
from replicheck.explorer.engines.partitioned.manifest import LevelManifests
from replicheck.explorer.engines.partitioned.runners import (
    InProcess,
    Runner,
    StartedWhenNeeded,
)
from replicheck.explorer.engines.partitioned.search import PartitionedSearch
from replicheck.explorer.engines.partitioned.store.store import Store
from replicheck.explorer.engines.partitioned.store.store_uri import at, below
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.encoding_watch import CROWDED, until_found
from replicheck.explorer.learning.learner import SAMPLE
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from replicheck.explorer.runtime.folder_lock import FolderLock
from replicheck.explorer.search.level_loop import RESUMABLE, JudgedLevels
from replicheck.explorer.search.model_digest import model_digest
from replicheck.explorer.states.encoding import AT_FIRST, EncodedOtherwise, Encoding
from replicheck.explorer.states.symmetry import Reduction

BUCKETS = 16
SMALL_LEVEL = 150_000
"""Levels of fewer states take longer to be sent than to be expanded."""
PRECISIONS = (KeyPrecision.BITS_64, KeyPrecision.BITS_128)
"""Not whole states: the numbers of their values differ from process to process."""
PATIENCE = 8.0
"""Seconds of CPU after which a search is long enough to be worth a start of Spark."""

Cluster = Callable[[SearchSpec, Store], Runner]
"""Begins what does the tasks of a search."""


def in_process(count: int) -> Cluster:
    """The cluster of so many processes that share this one and take turns."""
    return lambda spec, store: InProcess(spec, store, count)


ALONE = in_process(1)


@frozen
class Partitioned:
    """Breadth-first with frontier and visited set in buckets, by fingerprint.

    Args:
        keep: where the manifest of the search is; without, it cannot be resumed.
        store: path or URI of a directory for the files; beside the manifest by default.
        small: levels of fewer states are done by the driver itself.
        patience: so many seconds of CPU the driver works alone before the cluster
            begins.
        cost: so many states would be expanded in the time of one, if no steps were left
            out.
        states: path or URI of a directory for the reachable states, as Parquet.
        fingerprints: one of `PRECISIONS`.
        crowded: a set with so many values is split, if that spares something.
    """

    buckets: int = BUCKETS
    cluster: Cluster = ALONE
    keep: CheckpointSettings | None = None
    store: str | None = None
    small: int = field(factory=lambda: SMALL_LEVEL)
    patience: float = 0.0
    cost: int = 1
    sample: int = SAMPLE
    reduction: Reduction = Reduction.NONE
    states: str | None = None
    fingerprints: KeyPrecision = field(
        default=KeyPrecision.BITS_64, validator=in_(PRECISIONS)
    )
    crowded: int = CROWDED
    name: str = "partitioned"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states level by level. See `Engine.explore`."""
        started = time.monotonic()
        encoding, left = self.first_encoding(model, properties, search, started)
        return self._explore(model, properties, left, encoding, started)

    def first_encoding(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        started: float,
    ) -> tuple[Encoding, Search]:
        """The encoding of the first attempt. See `first_encoding`.

        Raises:
            ModelError: if the model breaks the contract.
        """
        if self.states is not None:
            return AT_FIRST, search
        return first_encoding(
            model, properties, search, self.reduction, self.crowded, started
        )

    def explore_as(
        self,
        kind: Callable[[Driver, Search, str], PartitionedSearch[S]],
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        encoding: Encoding = AT_FIRST,
    ) -> Report[S]:
        """Search in the same way, by a search of some kind.

        Args:
            encoding: that of the first attempt.

        Raises:
            EncodedOtherwise: if they have too few.
        """
        with self._kept() as keep:
            key = uuid4().hex[:12]
            place = below(self.store, key) if self.store else None
            files = at(place or str(keep.folder / "store"))
            worker = Worker(self._spec(key, model, properties, files, encoding), files)
            known = self._digest(worker, properties)
            keep.prepare()

            def begin(run: PartitionedSearch[S]) -> None:
                files.clear()
                run.begin()
                manifest.begin(keep, files.uri, known, self._form, encoding)

            with _locked(keep.folder):
                return self._searched(kind, worker, search, keep, begin)

    def resume(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Go on from the last complete level. See `Resumable.resume`."""
        started = time.monotonic()
        with self._kept() as keep:
            uri, encoding = manifest.reopen(keep, self._form)
            files, key = at(uri), uuid4().hex[:12]
            worker = Worker(self._spec(key, model, properties, files, encoding), files)
            try:
                with _locked(keep.folder):
                    manifest.require_same(keep, self._digest(worker, properties))
                    return self._searched(
                        PartitionedSearch, worker, search, keep, PartitionedSearch.go_on
                    )
            except EncodedOtherwise as other:
                encoding = encoding | other.encoding
        return self._explore(model, properties, search, encoding, started)

    def _explore(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        encoding: Encoding,
        started: float,
    ) -> Report[S]:
        """Search from the beginning, each time that sets have too few columns."""

        def begun(driver: Driver, search: Search, name: str) -> PartitionedSearch[S]:
            run: PartitionedSearch[S] = PartitionedSearch(driver, search, name)
            run.bookkeeping.started = started
            return run

        explore = partial(self.explore_as, begun, model, properties, search)
        return until_found(explore, encoding)

    @contextmanager
    def _kept(self) -> Iterator[CheckpointSettings]:
        """Yield where the manifest is: without a place for it, one for this search."""
        if self.keep is not None:
            yield self.keep
            return
        with TemporaryDirectory() as folder:
            yield CheckpointSettings(Path(folder) / "search")

    def _spec(
        self,
        key: str,
        model: Model[S],
        properties: Sequence[Property],
        files: Store,
        encoding: Encoding,
    ) -> SearchSpec:
        return SearchSpec(
            key,
            model,
            tuple(properties),
            files.uri,
            self.buckets,
            self.sample,
            self.reduction,
            self.states,
            self.fingerprints,
            encoding,
        )

    def _digest(self, worker: Worker, properties: Sequence[Property]) -> dict[str, str]:
        return model_digest(worker.learner, properties, self.fingerprints)

    @property
    def _form(self) -> dict[str, Any]:
        """Settings that must be the same to go on, beside the recipe."""
        return {"buckets": self.buckets, "states": self.states}

    def _searched(
        self,
        kind: Callable[[Driver, Search, str], PartitionedSearch[S]],
        worker: Worker,
        search: Search,
        keep: CheckpointSettings,
        begin: Callable[[PartitionedSearch[S]], None],
    ) -> Report[S]:
        """Search, and keep only what it makes sense to go on from."""
        levels = LevelManifests(worker.store)
        cluster = StartedWhenNeeded(lambda: self.cluster(worker.spec, worker.store))
        driver = Driver(worker, levels, cluster, self.small, self.patience, self.cost)
        run = kind(driver, search, self.name)
        try:
            _begin(run, begin, worker.store)
            ending = JudgedLevels(run.bookkeeping, run).search()
            report = run.report(ending)
        except (ModelError, EncodedOtherwise):
            _remove(keep, worker.store)
            raise
        finally:
            cluster.close()
            worker.threads.close()
        if ending.stopped_by not in RESUMABLE:
            _remove(keep, worker.store)
        return report


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Have a folder for this process alone.

    Raises:
        CheckpointError: if it cannot be written, or another process uses it.
    """
    lock = FolderLock(folder)
    try:
        lock.acquire()
    except OSError as error:
        raise CheckpointError(f"{folder} cannot be used: {error}") from error
    with lock:
        yield


def _begin(
    run: PartitionedSearch[S],
    begin: Callable[[PartitionedSearch[S]], None],
    files: Store,
) -> None:
    try:
        begin(run)
    except OSError as error:
        raise CheckpointError(
            f"the store {files.place} cannot be used: {error}; name another, or see to"
            " its rights"
        ) from error


def _remove(keep: CheckpointSettings, files: Store) -> None:
    """Remove the manifest, then the files of a search that has ended."""
    (keep.folder / MANIFEST).unlink(missing_ok=True)
    files.clear()
    with suppress(OSError):
        keep.folder.rmdir()
