"""Runs for ever on graphs that are small enough to see what is right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.liveness import edge_recorder
from replicheck.explorer.engines.liveness.engine import LivenessEngine
from replicheck.explorer.errors import ModelError
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.model import ActionFunction
from replicheck.explorer.properties import (
    Property,
    always,
    eventually_always,
    leads_to,
)
from replicheck.explorer.report import Outcome, Report, Verdict
from replicheck.explorer.statistics import LivenessStatistics
from toys import Amount, Toy, Walk, graph, ring


def is_at_0(state: Walk) -> bool:
    """The walk is at 0."""
    return state.at == 0


def is_at_2(state: Walk) -> bool:
    """The walk is at 2."""
    return state.at == 2


def is_no_9(state: Walk) -> bool:
    """The walk is not at 9."""
    return state.at != 9


def is_at_9(state: Walk) -> bool:
    """The walk is at 9, where nothing leads."""
    return state.at == 9


def is_below(state: Walk, amount: Amount) -> bool:
    """The walk is below an amount."""
    return state.at < amount


def turn(state: Walk) -> Iterator[Walk]:
    """Go from 0 to 1 and back."""
    if state.at < 2:
        yield state.evolve(at=1 - state.at)


def leave(state: Walk) -> Iterator[Walk]:
    """Go from 1 to 2."""
    if state.at == 1:
        yield state.evolve(at=2)


TURNS = Toy((turn, leave), (Walk((), 0),))
"""Walks between 0 and 1, and may leave from 1 for 2."""


def explore(
    model: Toy,
    *properties: Property,
    fairness: Fairness = Fairness(),
    search: Search = Search(),
) -> Report[Walk]:
    """Search with the liveness engine."""
    engine = LivenessEngine(BreadthFirst(threads=1), fairness, threads=1)
    return engine.explore(model, properties, search)


def runs(report: Report[Walk]) -> dict[str, tuple[list[int], int | None]]:
    """For each violated claim the places of its run, and where it begins to repeat."""
    return {
        violation.property: ([s.at for s in violation.trace.states], violation.loop)
        for violation in report.violations
    }


def graph_statistics(report: Report[Walk]) -> LivenessStatistics:
    """Statistics of the graph, which is there."""
    assert report.statistics.liveness is not None
    return report.statistics.liveness


def test_weak_fairness_lets_an_action_wait_that_is_disabled_again_and_again() -> None:
    """From 1 the walk can leave, but at 0 it cannot."""
    report = explore(TURNS, leads_to(is_at_0, is_at_2))
    assert runs(report) == {"is_at_0_leads_to_is_at_2": ([0, 1, 0], 0)}


def test_strong_fairness_does_not_let_it_wait() -> None:
    """An action that is enabled again and again is taken."""
    strong = Fairness(strong={"leave"})
    report = explore(TURNS, leads_to(is_at_0, is_at_2), fairness=strong)
    assert report.verdict is Verdict.HOLDS


@pytest.mark.parametrize("waiting", ["turn", "leave"])
def test_environment_may_stop(waiting: str) -> None:
    """Without `turn` the walk stands still at 0, without `leave` it turns for ever."""
    report = explore(
        TURNS, leads_to(is_at_0, is_at_2), fairness=Fairness(environment={waiting})
    )
    expected = {"turn": ([0], 0), "leave": ([0, 1, 0], 0)}[waiting]
    assert runs(report) == {"is_at_0_leads_to_is_at_2": expected}


def test_a_run_that_ends_stands_still() -> None:
    """The last state is there for ever."""
    report = explore(graph((1,), (2,), ()), eventually_always(is_at_2))
    assert report.verdict is Verdict.HOLDS
    report = explore(graph((1,), (2,), ()), eventually_always(is_at_0))
    assert runs(report) == {"is_at_0": ([0, 1, 2], 2)}


def test_the_way_to_the_loop_is_the_shortest() -> None:
    """Of two loops the nearer one is shown."""
    walk = graph((1, 4), (2,), (3,), (2,), (5,), (4,))
    report = explore(walk, leads_to(is_at_0, is_at_9))
    assert runs(report) == {"is_at_0_leads_to_is_at_9": ([0, 4, 5, 4], 1)}


def test_each_choice_of_parameters_is_claimed() -> None:
    """The walk ends at 2, which is below 3, and not below 2."""
    walk = graph((1,), (2,), ())
    walk.domains[Amount] = (Amount(3), Amount(2))
    report = explore(walk, eventually_always(is_below))
    assert [v.instance for v in report.violations] == ["is_below(amount=2)"]


def test_a_graph_without_an_edge_back_is_acyclic() -> None:
    """Also with an edge to the same state, which is no step."""
    report = explore(graph((1, 0), (2, 1), ()))
    assert graph_statistics(report).is_acyclic
    assert graph_statistics(report).resting == 1
    assert not graph_statistics(explore(ring(3))).is_acyclic
    assert graph_statistics(explore(ring(3))).looping == 3


def test_what_leads_to_something_is_there_at_all() -> None:
    """A claim about what never happens is vacuous, and the coverage says so."""
    report = explore(ring(3), leads_to(is_at_9, is_at_0), leads_to(is_at_0, is_at_2))
    assert report.verdict is Verdict.HOLDS
    assert report.statistics.coverage is not None
    assert report.statistics.coverage.premises == {
        "is_at_9_leads_to_is_at_0": False,
        "is_at_0_leads_to_is_at_2": True,
    }


def test_a_search_that_is_cut_decides_nothing() -> None:
    """Beyond the limit a run may go on in any way."""
    search = Search(Limits(depth=2))
    report = explore(ring(5), eventually_always(is_at_0), search=search)
    assert report.cut == "depth"
    assert report.outcomes == {"is_at_0": Outcome.UNDECIDED}


def test_a_graph_without_room_for_its_judgement_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search ends with what it knows, before the memory is taken."""
    monkeypatch.setattr(edge_recorder, "TO_JUDGE", 1 << 50)
    report = explore(ring(5), always(is_no_9), eventually_always(is_at_0))
    assert report.cut == "memory"
    assert report.outcomes == {
        "is_no_9": Outcome.HOLDS,
        "is_at_0": Outcome.UNDECIDED,
    }


def test_a_violation_that_ends_the_search_leaves_runs_undecided() -> None:
    """Unless the search is to go on."""
    claims = (always(is_at_0), eventually_always(is_at_0))
    walk = graph((1,), (2,), ())
    report = explore(walk, always(is_at_0), leads_to(is_at_0, is_at_2))
    assert report.outcomes["is_at_0_leads_to_is_at_2"] is Outcome.UNDECIDED
    report = explore(
        walk,
        always(is_at_0),
        leads_to(is_at_0, is_at_2),
        search=Search(stop=Stop.DECIDED),
    )
    assert report.outcomes["is_at_0_leads_to_is_at_2"] is Outcome.HOLDS
    with pytest.raises(ModelError, match="two properties are called `is_at_0`"):
        explore(walk, *claims)


def test_constraints_are_refused() -> None:
    """What a run does beyond them is not known."""
    with pytest.raises(ModelError, match="has constraints"):
        explore(Toy((turn,), (Walk((), 0),), constraints=(is_at_0,)))


def test_a_goal_with_a_parameter_of_its_own_is_refused() -> None:
    """Which of its values is meant would not be known."""
    walk = ring(3)
    walk.domains[Amount] = (Amount(2),)
    with pytest.raises(ModelError, match="has the parameter `amount`, which `is_at_0`"):
        explore(walk, leads_to(is_at_0, is_below))


def test_a_predicate_that_raises_is_told_with_the_run() -> None:
    """As any function of a model."""

    def falls(state: Walk) -> bool:
        if state.at == 2:
            raise ValueError("fell")
        return True

    report = explore(ring(3), eventually_always(falls))
    assert report.verdict is Verdict.ERROR
    assert report.failure is not None
    assert [s.at for s in report.failure.trace.states] == [0, 1, 2]


def test_a_search_on_several_threads_gives_the_same_runs() -> None:
    """A larger graph, with a tail that many states lead into."""
    size = 3_000
    edges = [((place + 1) % size, (7 * place) % size) for place in range(size)]
    walk = graph(*edges, (size,))
    found = []
    for threads in (1, 2):
        engine = LivenessEngine(BreadthFirst(threads=threads), threads=threads)
        found.append(engine.explore(walk, [eventually_always(is_at_0)]))
    assert found[0].violations == found[1].violations
    assert graph_statistics(found[0]).loops == 1
    assert graph_statistics(found[0]).looping == size


def test_actions_are_the_functions_of_the_model() -> None:
    """Marks are no actions: no run takes one."""
    report = explore(TURNS, leads_to(is_at_0, is_at_9))
    actions: tuple[ActionFunction, ...] = (turn, leave)
    assert set(report.actions) == {action.__name__ for action in actions}
    (violation,) = report.violations
    assert {step.action for step in violation.trace.steps} <= set(report.actions)
