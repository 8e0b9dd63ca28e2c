"""Fuzzing: laws on generated systems, seeded mutants, and the command."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import hypothesis.internal.conjecture.providers as backends
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from random_models.systems import System, systems
from replicheck.cli.main import main
from replicheck.explorer.engines.fuzzing import hypothesis_bytes
from replicheck.explorer.engines.fuzzing.bound_shrinking import shrink_bounds
from replicheck.explorer.engines.fuzzing.campaign import Campaign
from replicheck.explorer.engines.fuzzing.campaign_result import CampaignResult
from replicheck.explorer.engines.fuzzing.model_family import ModelFamily
from replicheck.explorer.engines.fuzzing.plan_walker import PlanWalker
from replicheck.explorer.engines.fuzzing.walk_plan import (
    MOST_FAULTS,
    Plan,
    length_of,
    random_plan,
)
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.simulation import walk_budget
from replicheck.explorer.engines.simulation.shrinking import shrink
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.strategies import Uniform
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property, always
from replicheck.explorer.report import Verdict
from replicheck.explorer.search.property_status import FunctionRaised
from searches.exhausted_memory import exhaust_memory
from searches.walks import is_run
from toys import (
    add,
    counter,
    hole,
    is_below_two,
    is_within_its_limit,
    ring,
    start_again,
)

FAULTS = frozenset({"start_again"})


def family(model: Model[Any], *properties: Property) -> ModelFamily[Any]:
    """The terrain of one model."""
    return ModelFamily(
        lambda bounds: model, {}, properties, FAULTS, lambda instance: instance.name
    )


def test_compiling_does_not_use_up_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that compiling takes is not that of the walks."""
    now, compiled = [0.0], [0.0]
    monkeypatch.setattr(walk_budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(walk_budget, "compile_seconds", lambda: compiled[0])
    walk = PlanWalker.walk

    def slowly_at_first(walker: PlanWalker[Any], plan: Plan) -> Any:
        if not compiled[0]:
            compiled[0] += 1000.0
            now[0] += 1000.0
        now[0] += 0.1
        return walk(walker, plan)

    monkeypatch.setattr(PlanWalker, "walk", slowly_at_first)
    limits = WalkLimits(steps=5, seconds=0.95)
    found = Campaign(family(counter()), limits, lambda progress: None).run(0)
    assert found.walks.cut == "seconds"
    assert found.walks.walks == 10


@pytest.mark.parametrize("way", ["fuzz", "simulate"])
def test_the_time_is_heeded_while_the_first_state_is_learned(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends walks whose functions take too long, before they took a step."""
    now = [0.0]
    monkeypatch.setattr(walk_budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    learn = Learner.learn_new

    def slowly(learner: Learner, instance: int, row: Sequence[int]) -> None:
        now[0] += 1000.0
        learn(learner, instance, row)

    monkeypatch.setattr(Learner, "learn_new", slowly)
    monkeypatch.setattr(chunk_walker, "RUNS_AT_ONCE", 1)
    limits, model = WalkLimits(steps=5, seconds=60.0), counter()
    if way == "fuzz":
        found = Campaign(family(model), limits, lambda progress: None).run(0).walks
    else:
        found = simulate(model, (), lambda functions: Uniform(), limits=limits)
    assert found.cut == "seconds"
    assert found.steps == 0
    assert now[0] == 1000.0


def campaign_result(
    model: Model[Any], *properties: Property, seed: int = 0, examples: int = 60
) -> CampaignResult[Any]:
    """The result of a small campaign."""
    limits = WalkLimits(steps=20, walks=examples)
    return Campaign(family(model, *properties), limits, lambda progress: None).run(seed)


@settings(
    max_examples=settings().max_examples // 4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(systems(), st.randoms(use_true_random=False))
def test_a_plan_finds_nothing_but_what_is_there(system: System, random: Any) -> None:
    """What plans find the plain model has, and the same plan finds it again."""
    model, properties = system.model, system.properties
    expected = Naive().explore(model, properties)
    one, other = (
        PlanWalker(model, properties, FAULTS, lambda instance: None) for _ in range(2)
    )
    claims = {claim.name: claim for claim in properties}
    for _ in range(5):
        text = random_plan(random, 20, [b""])
        try:
            walked = one.walk(Plan.of(text, {}))
        except FunctionRaised as failed:
            assert is_run(model, failed.failure.trace)
            return
        again = other.walk(Plan.of(text, {}))
        assert again.fingerprints.tolist() == walked.fingerprints.tolist()
        assert again.violation == walked.violation
        if walked.violation is None:
            continue
        assert expected.verdict is not Verdict.HOLDS
        trace, claim = walked.violation.trace, claims[walked.violation.property]
        assert is_run(model, trace)
        if claim.kind is Kind.ALWAYS:
            instances = claim.instances(model.domains)
            assert not all(instance(trace.states[-1]) for instance in instances)


def test_the_same_seed_gives_the_same_run_and_another_another() -> None:
    """Chance is the seed alone."""
    model = counter(add, start_again, limit=9)
    assert campaign_result(model, seed=1) == campaign_result(model, seed=1)
    assert campaign_result(model, seed=1) != campaign_result(model, seed=2)


def test_another_hypothesis_is_refused_in_one_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where backends are of another kind, nothing is drawn, and no trace shown."""
    hypothesis_bytes._require_backends.cache_clear()
    monkeypatch.delattr(backends, "AVAILABLE_PROVIDERS")
    done = run("replication", "--examples", "9")
    assert done.exit_code == 69
    assert "; install a release from 6.150.0 to 6.170.15, or use" in done.output


def test_texts_are_composed_and_the_backends_stay_as_they_were() -> None:
    """But for the first, which is the least, all are from random numbers alone."""
    before = dict(backends.AVAILABLE_PROVIDERS)
    texts: list[bytes] = []
    hypothesis_bytes.draw(texts.append, lambda random: random.randbytes(9), 9, 7, 50)
    random = Random(7)
    assert texts == [bytes(9), *(random.randbytes(9) for _ in range(49))]
    assert before == backends.AVAILABLE_PROVIDERS


@pytest.mark.parametrize("looks", [1, 2, 9])
def test_a_campaign_ends_when_memory_runs_out(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """Whatever takes the memory, there is a result, which says what cut it."""
    exhaust_memory(monkeypatch, looks)
    found = campaign_result(counter(add, start_again, limit=9), seed=1)
    assert found.walks.cut == "memory"
    assert not found.walks.violations


def test_what_is_found_is_shrunk() -> None:
    """Faults that a violation does not need are left out, and so are steps."""
    model = counter(add, start_again, limit=9)
    claim = always(is_below_two)
    found = campaign_result(model, claim)
    (violation,) = found.walks.violations
    shorter = shrink(model, claim, violation, faults=FAULTS)
    assert [step.action for step in shorter.trace.steps] == ["add"]


def test_bounds_are_lowered_as_far_as_the_run_allows() -> None:
    """The same steps violate the same property within the smallest bounds."""
    claim = always(is_below_two)
    family = ModelFamily(
        lambda bounds: counter(add, limit=bounds["limit"]),
        {"limit": (1, 9)},
        [claim],
        FAULTS,
        lambda instance: None,
    )
    found = Campaign(family, WalkLimits(20, 60), lambda progress: None).run(0)
    (violation,) = found.walks.violations
    bounds, same = shrink_bounds(family, claim, found.bounds, violation)
    assert bounds["limit"] == max(state.value for state in same.trace.states)
    assert [x.label for x in same.trace.steps] == [
        x.label for x in violation.trace.steps
    ]


def test_a_state_beyond_a_constraint_is_judged_and_ends_the_walk() -> None:
    """A walk goes on from no state that a search would not expand."""
    model = counter(add, limit=6, constraints=(is_below_two,))
    found = campaign_result(model, always(is_within_its_limit))
    expected = Naive().explore(model, [always(is_within_its_limit)])
    assert found.walks.violations == ()
    assert found.walks.seen.distinct == expected.states - 1  # all but the first


def test_an_action_that_raises_is_a_failure() -> None:
    """The walk to it is told, as a search tells it."""
    found = campaign_result(hole())
    assert found.walks.failure is not None
    assert found.walks.failure.function == "go_or_fall"


def test_a_whole_small_space_is_seen() -> None:
    """Walks round a ring meet every place, and the estimates say so."""
    walks = campaign_result(ring(12)).walks
    assert (walks.walks, walks.cut) == (60, "examples")
    assert (walks.seen.distinct, walks.seen.covered) == (12, 1.0)
    assert walks.actions == {"go": walks.steps}


@given(st.binary(min_size=length_of({"size": (2, 5)}, 9), max_size=99))
def test_every_text_is_a_plan(text: bytes) -> None:
    """Bounds are within their ranges, and what comes first is what shrinks first."""
    plan = Plan.of(text, {"size": (2, 5)})
    assert 2 <= dict(plan.bounds)["size"] <= 5
    assert 0 <= plan.faults <= MOST_FAULTS
    assert len(plan.choices) == len(text) - length_of({"size": (2, 5)}, 0)


def run(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["fuzz", *arguments])
