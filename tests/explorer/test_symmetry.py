"""Symmetry: the states that differ by a renaming count as one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import evolve

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import Property, always, every_step, sometimes
from replicheck.explorer.report import Report, Verdict
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.symmetry import (
    MOST_RENAMINGS,
    Reduction,
    renamed,
    renamings_of,
)
from replicheck.explorer.states.symmetry_check import SymmetryCheck
from replicheck.invariants.replication.properties import SAFETY
from replicheck.model.protocol import ProtocolModel
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.controller import elect_leader
from replicheck.model.replication.protocols import (
    KIP_320,
    TRUNCATE_TO_HIGH_WATERMARK,
    replication_model,
)
from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId, Epoch
from searches.reachable_states import reachable

TINY = ReplicationBounds(brokers=3, log_size=1, records=1, max_leader_epoch=0)
PROPERTIES = [always(predicate) for predicate in SAFETY]


def reduced(model: ProtocolModel, threads: int = 1) -> Report[AbstractCluster]:
    """Search a model up to the renaming of its brokers."""
    engine = BreadthFirst(threads=threads, reduction=Reduction.SYMMETRY)
    return engine.explore(model, PROPERTIES, Search())


def test_it_counts_one_state_of_each_orbit() -> None:
    """The states are as many as the classes of states that are renamings of another."""
    model = replication_model(KIP_320, TINY)
    states = set(reachable(model))
    layout = Layout.of(next(model.initial_states()))
    fingerprint = Fingerprinter(layout).of
    orbits = {
        min(
            fingerprint(state),
            *(
                fingerprint(renamed(layout, state, symmetry))
                for symmetry in model.symmetries
            ),
        )
        for state in states
    }
    report = reduced(model)
    assert report.states == len(orbits) < len(states)
    assert report.verdict is Verdict.HOLDS


def test_a_violation_is_as_short_as_without_and_a_run_of_the_model() -> None:
    """The trace under symmetry is a real run, whatever the number of threads."""
    bounds = ReplicationBounds(brokers=2, log_size=1, records=1, max_leader_epoch=2)
    model = replication_model(TRUNCATE_TO_HIGH_WATERMARK, bounds)
    plain = Naive().explore(model, PROPERTIES, Search())
    report = reduced(model)
    assert report == reduced(model, threads=2) == reduced(model, threads=7)
    violation, other = report.violations[0], plain.violations[0]
    assert violation.property == other.property
    assert len(violation.trace.states) == len(other.trace.states)
    before = violation.trace.start
    for step in violation.trace.steps:
        action = next(
            action for action in model.actions if action.__name__ == step.action
        )
        assert step.state in list(action(before, **step.arguments))
        before = step.state


def elect_the_first(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """Broker 0 can be elected, and no other."""
    if leader == 0:
        yield from elect_leader(cluster, leader)


def test_a_model_that_is_not_symmetric_is_refused() -> None:
    """An action that treats one broker differently is named."""
    protocol = KIP_320.replacing(elect_leader, by=elect_the_first)
    told = (
        "`elect_the_first` leads from .* to .* from its renaming .* to AbstractCluster"
    )
    with pytest.raises(ModelError, match=f"not symmetric: {told}"):
        reduced(replication_model(protocol, TINY))


def the_first_never_leads(cluster: AbstractCluster) -> bool:
    """Broker 0 is never elected."""
    return not cluster.partition_state.is_led_by(BrokerId(0))


def the_last_leads(cluster: AbstractCluster) -> bool:
    """Broker 2 is elected."""
    return cluster.partition_state.is_led_by(BrokerId(2))


def the_first_is_not_elected(before: AbstractCluster, after: AbstractCluster) -> bool:
    """No step makes broker 0 leader."""
    return the_first_never_leads(after) or not the_first_never_leads(before)


def another_is_not_elected(
    before: AbstractCluster, after: AbstractCluster, leader: BrokerId
) -> bool:
    """No step makes a broker leader."""
    was, leads = before.partition_state.is_led_by, after.partition_state.is_led_by
    return was(leader) or not leads(leader)


@pytest.mark.parametrize(
    "claim",
    [
        always(the_first_never_leads),
        sometimes(the_last_leads),
        every_step(the_first_is_not_elected),
    ],
)
def test_a_claim_about_one_of_several_that_are_alike_is_refused(
    claim: Property,
) -> None:
    """A search that visits one of two states would miss what only the other breaks."""
    engine = BreadthFirst(reduction=Reduction.SYMMETRY)
    with pytest.raises(ModelError, match=f"not symmetric: `{claim.name}` is "):
        engine.explore(replication_model(KIP_320, TINY), [claim], Search())


def test_a_constraint_about_one_of_several_that_are_alike_is_refused() -> None:
    """What is expanded would depend on which of the renamings is found first."""
    model = replication_model(KIP_320, TINY)
    model = evolve(model, constraints=(the_first_never_leads,))
    with pytest.raises(ModelError, match="not symmetric: `the_first_never_leads` is"):
        reduced(model)


def test_a_claim_about_each_of_them_is_judged() -> None:
    """It is broken by a state if and only if by its renamings."""
    engine = BreadthFirst(reduction=Reduction.SYMMETRY)
    claim = every_step(another_is_not_elected)
    report = engine.explore(replication_model(KIP_320, TINY), [claim], Search())
    assert [found.property for found in report.violations] == [claim.name]


def rare(cluster: AbstractCluster) -> bool:
    """Broker 4 does not lead in epoch 1 with 2 and 3 in the ISR."""
    stored = cluster.partition_state
    return not (stored.is_in(BrokerId(4), Epoch(1)) and stored.isr == set(range(2, 5)))


def test_in_small_levels_all_states_are_renamed_in_all_ways() -> None:
    """So a claim that one of 120 renamings of one state breaks is refused."""
    bounds = ReplicationBounds(brokers=5, log_size=1, records=1, max_leader_epoch=1)
    engine = BreadthFirst(reduction=Reduction.SYMMETRY)
    with pytest.raises(ModelError, match="not symmetric: `rare` is true of Abs"):
        engine.explore(replication_model(KIP_320, bounds), [always(rare)], Search())


def test_renamings_that_are_chosen_are_spread_over_all() -> None:
    """Other ones for each state, and all of them if they are few."""
    model = replication_model(bounds=ReplicationBounds(brokers=5))
    (start,) = model.initial_states()
    check = SymmetryCheck(Layout.of(start), [*model.symmetries], model, ())
    chosen = [check.renamings(3, number) for number in range(100)]
    assert {len(some) for some in chosen} == {3}
    assert len({id(symmetry) for some in chosen for symmetry in some}) > 100
    assert len({*map(id, check.renamings(500, 7))}) == 119


def test_very_many_renamings_are_refused_before_they_are_made() -> None:
    """A model of ever so many brokers is built at once, and searched without them."""
    model = replication_model(bounds=ReplicationBounds(brokers=200))
    with pytest.raises(ModelError, match=r"more than 5,039 renamings.*smaller bounds"):
        reduced(model)
    seven = replication_model(bounds=ReplicationBounds(brokers=7))
    assert len(renamings_of(seven, Reduction.SYMMETRY)) == MOST_RENAMINGS
    assert renamings_of(model, Reduction.NONE) == ()


def test_a_renaming_without_products_is_refused() -> None:
    """All others are made of a few of them."""
    model = evolve(replication_model(), symmetries=(object(),))
    with pytest.raises(ModelError, match="a renaming of the model replication has no"):
        renamings_of(model, Reduction.SYMMETRY)
