"""States that differ by a renaming count as one, whatever sets are split."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.splits import COLUMNS, NEVER, Columns, split_of, split_whatever_reads
from random_sets.symmetric_mail import (
    CLERK_SYSTEMS,
    ClerkRule,
    ClerkSystem,
    is_any_there,
    is_so,
    wrote,
)
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import PRECISIONS, Partitioned
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.states.symmetry import Reduction
from searches.unreliable_cluster import small_tasks, unreliable

SEARCH = Search(Limits(states=1_000), Stop.EXHAUSTED)
UP_TO_SYMMETRY = st.builds(
    BreadthFirst,
    threads=st.integers(1, 2),
    sample=st.sampled_from([1, 64]),
    reduction=st.just(Reduction.SYMMETRY),
    fingerprints=st.sampled_from(KeyPrecision),
    crowded=st.sampled_from([1, 2, 4, 20]),
)


def test_a_set_is_split_where_renamings_count_as_one() -> None:
    """The report is that of a search that splits none."""
    rules = (
        ClerkRule(0, 0, is_so, 0, False, (False, 0), False),
        ClerkRule(0, 1, is_any_there, 0, False, None, False),
    )
    model, properties = ClerkSystem(rules, (1, 1, wrote, 0), 3).checked
    split, whole = (
        BreadthFirst(reduction=Reduction.SYMMETRY, crowded=crowded).explore(
            model, properties, Search(stop=Stop.EXHAUSTED)
        )
        for crowded in (20, NEVER)
    )
    assert split == whole
    assert split_of(split) == {"slips": 9}


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(CLERK_SYSTEMS, UP_TO_SYMMETRY, COLUMNS, st.booleans())
def test_renamed_messages_are_renamed_in_sets_that_are_split(
    system: ClerkSystem, engine: BreadthFirst, columns: Columns, forced: bool
) -> None:
    """The report is the same, runs included."""
    model, properties = system.checked
    plain = BreadthFirst(
        threads=1,
        reduction=Reduction.SYMMETRY,
        fingerprints=engine.fingerprints,
        crowded=NEVER,
    )
    expected = plain.explore(model, properties, SEARCH)
    with split_whatever_reads(columns) if forced else nullcontext():
        assert engine.explore(model, properties, SEARCH) == expected


@settings(slowly, max_examples=slowly.max_examples // 4)
@given(CLERK_SYSTEMS, st.sampled_from(PRECISIONS), COLUMNS, st.booleans())
def test_several_processes_rename_what_they_split(
    system: ClerkSystem, fingerprints: KeyPrecision, columns: Columns, forced: bool
) -> None:
    """Their report is that of one process that splits nothing."""
    model, properties = system.checked
    up_to: dict[str, Any] = {
        "reduction": Reduction.SYMMETRY,
        "fingerprints": fingerprints,
    }
    expected = BreadthFirst(threads=1, crowded=NEVER, **up_to).explore(
        model, properties, SEARCH
    )
    engine = Partitioned(4, unreliable, small=0, crowded=4, **up_to)
    with small_tasks(), split_whatever_reads(columns) if forced else nullcontext():
        assert engine.explore(model, properties, SEARCH) == expected
