"""Laws of searches up to symmetry, on generated systems."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.symmetric_systems import SymmetricSystem, symmetric_systems
from random_models.systems import slowly
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.instances import instances
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.symmetry import Reduction, renamed

pytestmark = pytest.mark.slow


def orbits(system: SymmetricSystem, depth: int) -> list[int]:
    """Number of classes of renamed states of each level, by definition."""
    model = system.model
    (start,) = system.starts
    layout = Layout.of(start)

    def orbit(state: Any) -> frozenset[Any]:
        others = (renamed(layout, state, symmetry) for symmetry in model.symmetries)
        return frozenset([state, *others])

    def expanded(state: Any) -> bool:
        cuts = instances(model.constraints, model.domains)
        return all(cut(state) for cut in cuts)

    actions = instances(model.actions, model.domains)
    seen, level, counts = {orbit(start)}, {start}, [1]
    while len(counts) < depth:
        after = {
            new
            for state in level
            if expanded(state)
            for action in actions
            for new in action(state)
        }
        fresh = {orbit(state): state for state in after if orbit(state) not in seen}
        if not fresh:
            break
        seen |= fresh.keys()
        level = set(fresh.values())
        counts.append(len(fresh))
    return counts


def up_to_symmetry(system: SymmetricSystem, search: Search, **settings: Any) -> Any:
    """The report of a search that counts renamed states as one."""
    engine = BreadthFirst(reduction=Reduction.SYMMETRY, **settings)
    return engine.explore(system.model, system.properties, search)


@slowly
@given(symmetric_systems(), st.sampled_from([1, 2, 7]))
def test_each_level_has_one_state_of_each_orbit(
    system: SymmetricSystem, threads: int
) -> None:
    """What is counted are the classes of states that are renamings of one another."""
    report = up_to_symmetry(system, system.search, threads=threads)
    found = list(report.levels)
    assert found == orbits(system, len(found))


@slowly
@given(symmetric_systems(), st.sampled_from([1, 2, 7]))
def test_the_verdicts_are_those_without_symmetry(
    system: SymmetricSystem, threads: int
) -> None:
    """And the violations are as short; threads leave no mark."""
    whole = Naive().explore(system.model, system.properties, system.search)
    report = up_to_symmetry(system, system.search, threads=threads)
    assert report == up_to_symmetry(system, system.search, threads=1)
    assert dict(report.outcomes) == dict(whole.outcomes)
    assert [len(violation.trace.states) for violation in report.violations] == [
        len(violation.trace.states) for violation in whole.violations
    ]
    assert {name: len(trace.states) for name, trace in report.reached.items()} == {
        name: len(trace.states) for name, trace in whole.reached.items()
    }


@slowly
@given(symmetric_systems())
def test_more_bits_change_nothing(system: SymmetricSystem) -> None:
    """They are those of the same renaming."""
    report = up_to_symmetry(system, system.search)
    sure = up_to_symmetry(system, system.search, fingerprints=KeyPrecision.BITS_128)
    assert sure == report
