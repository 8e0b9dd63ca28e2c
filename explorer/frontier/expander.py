"""Expansion: from one level to the next, in rounds of chunks, on several threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from replicheck.explorer.frontier.chunk import Work
from replicheck.explorer.frontier.chunk_walker import Expansion, Rounds, SearchEffort
from replicheck.explorer.frontier.deduplication import Placer
from replicheck.explorer.frontier.levels import NextLevel
from replicheck.explorer.frontier.state_keys import Fingerprints, Identities
from replicheck.explorer.frontier.visited_set import Visited
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import Level, Words
from replicheck.explorer.runtime.thread_pool import ThreadPool


class Expander:
    """Expands levels with one learner's tables; for ``masked`` see `Rounds`."""

    def __init__(
        self,
        learner: Learner,
        threads: ThreadPool,
        fingerprints: Fingerprints = Fingerprints.BITS_64,
        *,
        masked: bool = True,
    ) -> None:
        self.threads = threads
        self.rounds = Rounds(learner, threads, masked=masked)
        self.identities = Identities(fingerprints, learner)
        self._placer = Placer(learner, threads, self.identities)

    @property
    def effort(self) -> SearchEffort:
        """Return where the time of all expansions went."""
        return self.rounds.effort

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
        rounds = self.rounds
        done = rounds.nothing()
        at = 0
        while at < count:
            glance(at)
            works = rounds.begin(at, count)
            rounds.walk(level, wanted, judged, works)
            if find_stuck:
                self._find_stuck(level, works, done)
            if into is not None:
                started = time.perf_counter()
                rounds.tables()
                self._placer.place(works, rounds.learner.tables, level, *into)
                self.effort.inserting += time.perf_counter() - started
            rounds.gather(works, done)
            at = works[-1].high
        return done

    def _find_stuck(self, level: Level, works: Sequence[Work], done: Expansion) -> None:
        for work in works:
            steps = np.bincount(
                work.chunk.sources[: work.candidates] - np.uint32(work.low),
                minlength=work.high - work.low,
            )
            part = slice(work.low, work.high)
            stuck = level.prints[part][(steps == 0) & (level.cut[part] == 0)]
            if len(stuck):
                least = int(stuck[0])
                done.stuck = least if done.stuck is None else min(done.stuck, least)
