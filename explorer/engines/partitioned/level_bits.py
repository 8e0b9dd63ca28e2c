"""Level bits: of which instances the states of a level have bits, in all processes.

What one process finds, another one expands. So the driver chooses for all, by walks of
the states in the sample of `guards`.
"""

from __future__ import annotations

from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.frontier.levels import fresh_level
from replicheck.explorer.native.kernels.arrays import Level, Numbers, U64Array
from replicheck.explorer.native.packed_rows import fields_of, pack_rows
from replicheck.explorer.search.guard_coverage import Sample


def places_after(
    driver: Worker, sample: Sample, count: int, wanted: U64Array, judged: U64Array
) -> Numbers:
    """The places of bits, as in `DisabledBits`, of what is found from a level.

    Args:
        sample: states of the levels before it.
        count: how many states it has.
        wanted: bit set of the instances to walk.
        judged: the same for states that a constraint cuts.
    """
    learner, expander = driver.learner, driver.expander
    rows, fingerprints = sample.content
    if rows is None:
        return learner.tables.bits_of_all.places

    def sampled() -> Level:
        packed = pack_rows(rows, fields_of(learner.dictionaries))
        states = fresh_level(packed, fingerprints, learner.tables.bits_of_all)
        # What others have met is asked first, so that masks are there for the choice.
        expander.expand(states, wanted, judged, lambda done: None)
        return states

    return expander.bits_after(count, sampled, wanted, judged).places
