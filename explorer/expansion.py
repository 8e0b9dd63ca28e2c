"""Expansion: from one level to the next, in rounds of chunks, on several threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import define

from replicheck.explorer.arrays import (
    BLOCK,
    BROKEN_STEP,
    CANDIDATES,
    COUNTERS,
    MISSED,
    NOTHING_NOTED,
    PARTS,
    TO_ANSWER,
    TO_LEARN,
    WALKS,
    Arrays,
    Chunk,
    Level,
    Scratch,
)
from replicheck.explorer.learning import Learner
from replicheck.explorer.levels import NextLevel, row_type
from replicheck.explorer.machine_code import (
    count_parts,
    expand,
    insert,
    pack,
    retry,
    scatter,
    settle,
    sort_by_source,
)
from replicheck.explorer.visited import Visited

T = TypeVar("T")
Words = npt.NDArray[np.uint64]

CHUNK = 8192
"""States of a chunk."""
SMALLEST_CHUNK = BLOCK
CHUNKS = 16
"""Chunks of a round."""
CANDIDATES_PER_STATE = 6
"""Room for candidates to begin with."""
MASKS_OUT_OF_DATE = 1.2
"""Growth of the number of leaves after which the masks are worked out anew."""


class Threads:
    """A pool whose threads take one piece of work after the other."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.seconds = [0.0] * count
        """CPU time that each thread spent."""
        self._pool = ThreadPoolExecutor(count)

    def each(self, work: Callable[[T], None], pieces: Iterable[T]) -> None:
        """Do the work for all pieces; an exception of one ends the others early."""
        remaining = iter(list(pieces))

        def take(thread: int) -> None:
            started = time.thread_time()
            for piece in remaining:
                work(piece)
            self.seconds[thread] += time.thread_time() - started

        if self.count == 1:
            take(0)
            return
        futures = [self._pool.submit(take, thread) for thread in range(self.count)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for _ in remaining:
                pass
            wait(futures)
            raise

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


@define
class Expansion:
    """What the expansion of one level came to.

    ``notes`` as in `kernels.Chunk`; ``generated`` and ``enabled`` per instance;
    ``stuck`` is the least fingerprint of a state without a step, if that was asked.
    """

    notes: Words
    generated: npt.NDArray[np.int64]
    enabled: npt.NDArray[np.int64]
    stuck: int | None = None


@define
class _Work:
    """One chunk at work: its states, how far it is, and its buffers."""

    number: int
    chunk: Chunk
    spare: Chunk
    scratch: Scratch
    low: int = 0
    high: int = 0
    at: int = 0
    missed_some: bool = False

    @property
    def is_done(self) -> bool:
        return self.at == self.high and self.chunk.counters[MISSED] == 0


@define
class Effort:
    """Where the time of all expansions went, in seconds of wall time."""

    walking: float = 0.0
    learning: float = 0.0
    inserting: float = 0.0
    walks: int = 0


class Expander:
    """Expands levels with one learner's tables.

    Without masks every tree is walked in every state: slower, and after a search of all
    states no tree lacks a path that a reachable state takes.
    """

    def __init__(
        self, learner: Learner, threads: Threads, *, masked: bool = True
    ) -> None:
        self.learner, self.threads, self.masked = learner, threads, masked
        self.effort = Effort()
        self._instances = len(learner.functions)
        self._kinds = BROKEN_STEP + len(learner.step_properties)
        self._works: list[_Work] = []
        self._masked_leaves = 0.0

    def expand(
        self,
        level: Level,
        wanted: Words,
        judged: Words,
        glance: Callable[[int], None],
        into: tuple[NextLevel, Visited] | None = None,
        find_stuck: bool = False,
    ) -> Expansion:
        """Walk every state of a level; put what is new into the next one.

        Args:
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            glance: is told how many states are done; may raise to end the search.
            into: where new states go, or None to walk predicates only.
        """
        count = len(level.prints)
        done = Expansion(
            np.full((self._kinds, self._instances), NOTHING_NOTED, np.uint64),
            np.zeros(self._instances, np.int64),
            np.zeros(self._instances, np.int64),
        )
        at = 0
        while at < count:
            glance(at)
            works = self._round(level, at, count)
            self._walk(level, wanted, judged, works)
            if find_stuck:
                self._find_stuck(level, works, done)
            if into is not None:
                self._place(level, works, *into)
            for work in works:
                np.minimum(done.notes, work.chunk.notes, out=done.notes)
                done.generated += work.chunk.generated
                done.enabled += work.chunk.enabled
                self.effort.walks += int(work.chunk.counters[WALKS])
            at = works[-1].high
        return done

    def _round(self, level: Level, start: int, count: int) -> list[_Work]:
        """Return the chunks of the next round, their buffers empty."""
        size = max(
            SMALLEST_CHUNK, min(CHUNK, -(-(count - start) // self.threads.count))
        )
        works = []
        for number, low in enumerate(range(start, count, size)):
            if number == CHUNKS:
                break
            if number == len(self._works):
                self._works.append(self._new_work(number))
            work = self._works[number]
            work.low = work.at = low
            work.high = min(count, low + size)
            work.missed_some = False
            chunk = work.chunk
            chunk.counters[:] = 0
            chunk.generated[:] = 0
            chunk.enabled[:] = 0
            chunk.notes[:] = NOTHING_NOTED
            works.append(work)
        return works

    def _walk(
        self, level: Level, wanted: Words, judged: Words, works: list[_Work]
    ) -> None:
        """Walk the trees of all states, learning until nothing is missed."""
        tables, states = pack(self._tables()), pack(level)

        def walk(work: _Work) -> None:
            chunk = work.chunk
            if chunk.counters[MISSED]:
                retry(tables, states, chunk, work.scratch)
            elif work.at < work.high:
                work.at = expand(
                    tables,
                    states,
                    wanted,
                    judged,
                    work.at,
                    work.high,
                    chunk,
                    work.scratch,
                )
            work.missed_some |= bool(chunk.counters[MISSED])

        while True:
            started = time.perf_counter()
            self.threads.each(walk, [work for work in works if not work.is_done])
            self.effort.walking += time.perf_counter() - started
            missing = [work for work in works if not work.is_done]
            if not missing:
                return
            started = time.perf_counter()
            asked = [self._learn(level, work) for work in missing]
            if not any(asked):
                for work in missing:
                    if work.chunk.counters[MISSED]:
                        self._grow(work)
            tables = pack(self._tables())
            self.effort.learning += time.perf_counter() - started

    def _learn(self, level: Level, work: _Work) -> bool:
        """Learn what a chunk asks for; where none asks for anything, they lack room."""
        chunk, learner = work.chunk, self.learner
        answers, learns = chunk.counters[TO_ANSWER], chunk.counters[TO_LEARN]
        for number in range(answers):
            learner.answer(int(chunk.answers[number]))
        for number in range(learns):
            state = chunk.learn_states[number]
            learner.learn(
                int(chunk.learn_instances[number]), level.rows[state].tolist()
            )
        if 2 * chunk.counters[CANDIDATES] > len(chunk.prints):
            self._grow(work)
            return True
        return bool(answers or learns)

    def _tables(self) -> Arrays:
        """Return the tables, and work out the masks anew if they are out of date."""
        tables = self.learner.tables
        raised = self.learner.ask_closed_questions()
        arrays = tables.arrays()
        if not self.masked:
            return arrays
        if raised or tables.leaf_count > MASKS_OUT_OF_DATE * self._masked_leaves:
            self._masked_leaves = tables.leaf_count
            tables.renew_masks()
            arrays = tables.arrays()
        return arrays

    def _find_stuck(self, level: Level, works: list[_Work], done: Expansion) -> None:
        for work in works:
            count = work.chunk.counters[CANDIDATES]
            steps = np.bincount(
                work.chunk.sources[:count] - np.uint32(work.low),
                minlength=work.high - work.low,
            )
            part = slice(work.low, work.high)
            stuck = level.prints[part][(steps == 0) & (level.cut[part] == 0)]
            if len(stuck):
                least = int(stuck[0])
                done.stuck = least if done.stuck is None else min(done.stuck, least)

    def _place(
        self, level: Level, works: list[_Work], found: NextLevel, visited: Visited
    ) -> None:
        """Put the candidates of a round into the visited set and the next level."""
        started = time.perf_counter()
        tables = self._tables()
        instances = np.array([each for each, _ in self.learner.steps] or [0], np.int32)
        counts = np.zeros((len(works), PARTS), np.int64)

        def sort(work: _Work) -> None:
            sort_by_source(
                work.chunk, work.low, work.high, work.spare, work.scratch.starts
            )
            if work.missed_some:
                count = work.chunk.counters[CANDIDATES]
                settle(work.spare, count, tables.leaves, instances)
            count_parts(
                work.spare.prints, work.chunk.counters[CANDIDATES], counts[work.number]
            )

        self.threads.each(sort, works)
        ends = np.cumsum(counts.T.reshape(-1))
        total = int(ends[-1])
        starts = (ends - counts.T.reshape(-1)).reshape(PARTS, len(works)).T.copy()
        bounds = [0, *ends.reshape(PARTS, len(works))[:, -1].tolist()]
        candidates = (
            pack(np.empty(total, np.uint64)),
            pack(np.empty(total, np.uint32)),
            pack(np.empty(total, np.int32)),
        )

        def move(work: _Work) -> None:
            scatter(
                work.spare,
                work.chunk.counters[CANDIDATES],
                starts[work.number],
                *candidates,
            )

        self.threads.each(move, works)
        found.fit(row_type(self.learner.domains))
        packed, states = pack(tables), pack(level)

        def place(part: int) -> None:
            low, high = bounds[part], bounds[part + 1]
            new = found.parts[part]
            table = visited.make_room(part, high - low)
            new.make_room(high - low)
            before = new.count
            new.count = insert(
                table,
                *candidates,
                low,
                high,
                packed,
                states,
                new.level,
                new.parents,
                new.steps,
                before,
            )
            visited.counts[part] += new.count - before

        self.threads.each(
            place, [part for part in range(PARTS) if bounds[part] < bounds[part + 1]]
        )
        self.effort.inserting += time.perf_counter() - started

    def _new_work(self, number: int) -> _Work:
        room = CHUNK * CANDIDATES_PER_STATE
        return _Work(
            number, self._new_chunk(room), self._new_chunk(room), self._new_scratch()
        )

    def _new_scratch(self) -> Scratch:
        tables = self.learner.tables
        return Scratch(
            lists=np.empty((max(1, self._instances), BLOCK), np.uint16),
            filled=np.empty(max(1, self._instances), np.int64),
            bases=np.empty((BLOCK, tables.permutations), np.uint64),
            results=np.empty(BLOCK, np.int32),
            walking=np.empty(BLOCK, np.uint16),
            live=np.empty(tables.width, np.uint64),
            constant=np.empty(tables.width, np.uint64),
            starts=np.empty(CHUNK + 1, np.int64),
        )

    def _new_chunk(self, room: int) -> Chunk:
        pairs = max(2 * BLOCK * self._instances, 1 << 14)
        return Chunk(
            prints=np.empty(room, np.uint64),
            sources=np.empty(room, np.uint32),
            places=np.empty(room, np.int32),
            missed_states=np.empty(pairs, np.uint32),
            missed_instances=np.empty(pairs, np.int32),
            learn_states=np.empty(pairs, np.uint32),
            learn_instances=np.empty(pairs, np.int32),
            answers=np.empty(pairs, np.int64),
            counters=np.zeros(COUNTERS, np.int64),
            generated=np.zeros(self._instances, np.int64),
            enabled=np.zeros(self._instances, np.int64),
            notes=np.full((self._kinds, self._instances), NOTHING_NOTED, np.uint64),
        )

    def _grow(self, work: _Work) -> None:
        """Give a chunk twice the room for candidates."""
        room = 2 * len(work.chunk.prints)
        count = work.chunk.counters[CANDIDATES]
        grown = {}
        for name in ("prints", "sources", "places"):
            old: npt.NDArray[Any] = getattr(work.chunk, name)
            grown[name] = np.empty(room, old.dtype)
            grown[name][:count] = old[:count]
        work.chunk = work.chunk._replace(**grown)
        work.spare = self._new_chunk(room)
