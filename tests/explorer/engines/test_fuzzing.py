"""Fuzzing: laws on systems that nobody wrote, seeded mutants, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from random_models.systems import System, systems
from replicheck.cli.main import main
from replicheck.cli.runs.fuzz_campaigns import Profile, profile_of
from replicheck.cli.saved_traces.loaded_trace import read_trace
from replicheck.explorer.engines.fuzzing import campaign, hypothesis_bytes
from replicheck.explorer.engines.fuzzing.bound_shrinking import shrink_bounds
from replicheck.explorer.engines.fuzzing.campaign import (
    Campaign,
    ModelFamily,
)
from replicheck.explorer.engines.fuzzing.campaign_result import CampaignResult
from replicheck.explorer.engines.fuzzing.plan_walker import PlanWalker
from replicheck.explorer.engines.fuzzing.walk_plan import (
    MOST_FAULTS,
    Plan,
    length_of,
    random_plan,
)
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.simulation.shrinking import shrink
from replicheck.explorer.engines.simulation.simulation import WalkLimits
from replicheck.explorer.instances import instances
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property, always
from replicheck.explorer.report import Trace, Verdict
from replicheck.explorer.search.property_status import FunctionRaised
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from shipped import CATALOGUE
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
    """Return the terrain of one model."""
    return ModelFamily(
        lambda bounds: model, {}, properties, FAULTS, lambda instance: instance.name
    )


def test_compiling_does_not_use_up_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock starts after the first example, however long that takes."""
    now = [0.0]
    monkeypatch.setattr(campaign, "time", SimpleNamespace(monotonic=lambda: now[0]))
    walk = PlanWalker.walk

    def slowly_at_first(walker: PlanWalker[Any], plan: Plan) -> Any:
        now[0] += 0.1 if now[0] else 1000.0
        return walk(walker, plan)

    monkeypatch.setattr(PlanWalker, "walk", slowly_at_first)
    limits = WalkLimits(steps=5, seconds=0.95)
    found = Campaign(family(counter()), limits, lambda progress: None).run(0)
    assert found.walks.cut == "seconds"
    assert found.walks.walks == 11


def campaign_result(
    model: Model[Any], *properties: Property, seed: int = 0, examples: int = 60
) -> CampaignResult[Any]:
    """The result of a small campaign."""
    limits = WalkLimits(steps=20, walks=examples)
    return Campaign(family(model, *properties), limits, lambda progress: None).run(seed)


def is_run(model: Model[Any], trace: Trace[Any]) -> bool:
    """Tell whether the plain model has every step of a trace."""
    actions = {
        instance.label: instance for instance in instances(model.actions, model.domains)
    }
    before = trace.start
    for step in trace.steps:
        if step.state not in list(actions[step.label](before)):
            return False
        before = step.state
    return trace.start in list(model.initial_states())


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
        assert again.prints.tolist() == walked.prints.tolist()
        assert again.violation == walked.violation
        if walked.violation is None:
            continue
        assert expected.verdict is not Verdict.HOLDS
        trace, claim = walked.violation.trace, claims[walked.violation.property]
        assert is_run(model, trace)
        if claim.kind is Kind.ALWAYS:
            clauses = claim.instances(model.domains)
            assert not all(clause(trace.states[-1]) for clause in clauses)


def test_the_same_seed_gives_the_same_run_and_another_another() -> None:
    """Chance is the seed alone."""
    model = counter(add, start_again, limit=9)
    assert campaign_result(model, seed=1) == campaign_result(model, seed=1)
    assert campaign_result(model, seed=1) != campaign_result(model, seed=2)


def test_another_hypothesis_is_refused_in_one_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the private function is not there, nothing is drawn, and no trace shown."""
    hypothesis_bytes._require_composing.cache_clear()
    monkeypatch.setattr(hypothesis_bytes, "PROVIDERS", "hypothesis.not_there")
    done = run("replication", "--examples", "9")
    assert done.exit_code == 2
    assert "; install one of 6.150 to 6.170, or use `replicheck sim" in done.output


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


@pytest.mark.parametrize(
    ("mutant", "length"),
    [
        ("truncate-to-high-watermark", 9),
        ("l-fu-1-learn-from-failed-reads", 7),
        ("m-12-fence-nobody", 11),
    ],
)
def test_the_command_finds_a_mutant_of_each_system(
    tmp_path: Path, mutant: str, length: int
) -> None:
    """What it finds is short, and a trace that replays."""
    done = run(mutant, "--traces", str(tmp_path), "--json", "-", "--examples", "4000")
    assert done.exit_code in (12, 13), done.output
    report = json.loads(done.stdout)
    assert report["verdict"] == "violated"
    assert report["violation"]["states"] <= 1.5 * length
    path = report["violation"]["trace"]
    for command in ("replay", "show"):
        again = CliRunner().invoke(main, ["trace", command, path])
        assert again.exit_code == (done.exit_code if command == "replay" else 0)


def test_a_limit_is_added_to_those_of_a_profile() -> None:
    """A limit of the user's takes the place of the same one alone."""
    assert profile_of("ci", None, 9.0) == Profile(examples=2_000, seconds=9.0)
    assert profile_of("ci", 5, None) == Profile(examples=5, seconds=None)
    assert profile_of(None, 5, None) == Profile(examples=5, seconds=None)
    assert profile_of(None, None, None) == Profile(examples=None, seconds=60.0)


def test_what_failed_is_tried_first(tmp_path: Path) -> None:
    """With a database the second run begins with what the first one found."""
    arguments = ["replication", "--protocol", "kip-101"]
    arguments += ["--bounds", "brokers=2,log_size=2,records=2,max_leader_epoch=2"]
    arguments += ["--traces", str(tmp_path / "traces"), "--json", "-"]
    arguments += ["--database", str(tmp_path / "database"), "--examples", "4000"]
    first, second = (json.loads(run(*arguments).stdout) for _ in range(2))
    assert first["violation"]["property"] == second["violation"]["property"]
    examples = [document["simulations"][0]["examples"] for document in (first, second)]
    assert examples[1] == 1 < examples[0]


def test_bounds_are_drawn_within_the_ranges(tmp_path: Path) -> None:
    """A saved trace says within which bounds it was found; a fixed one stays."""
    done = run(
        "replication", "--protocol", "truncate-to-high-watermark", "--json", "-",
        "--bounds", "brokers=2", "--examples", "4000", "--traces", str(tmp_path),
    )  # fmt: skip
    header = read_trace(
        CATALOGUE, Path(json.loads(done.stdout)["violation"]["trace"])
    ).header
    ranges = CATALOGUE.scenarios["replication"].ranges
    assert header.bounds["brokers"] == 2
    for name in ("log_size", "records", "max_leader_epoch"):
        assert ranges[name][0] <= header.bounds[name] <= ranges[name][1]


def test_the_command_does_not_say_that_it_holds() -> None:
    """Without a violation it is not refuted, and too little coverage can fail."""
    arguments = ["replication", "--examples", "40", "--bounds"]
    arguments += ["brokers=2,log_size=2,records=2,max_leader_epoch=2"]
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert "not refuted" in done.stdout and "Good-Turing" in done.stdout
    assert run(*arguments, "--require-covered", "0.9999").exit_code == 10


SCENARIO = """
summary = "x"
model = "replication"
protocol = "kip-320"
[ranges]
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("brokrs = [1, 2]", 'ranges.brokrs: there is no such bound; did you mean "b'),
        ("brokers = [3, 2]", "ranges.brokers: is [3, 2], expected [least, greatest]"),
        ("brokers = 3", "ranges.brokers: is 3, expected [least, greatest]"),
        ("brokers = [0, 2]", "ranges.brokers: is 0, expected a value >= 1"),
        ("brokers = [1, true]", "expected [least, greatest]"),
        ("brokers = [2, 90]", "expected at most 5,000; BrokerId alone has 90 values"),
        ("brokers = [2, 256]", "ranges.brokers: is 256, expected a value <= 255"),
    ],
)
def test_wrong_ranges_are_said_in_one_message(line: str, message: str) -> None:
    """The message has the key, what is there, and what was expected."""
    place = Place("mine.toml")
    with pytest.raises(ScenarioError) as raised:
        CATALOGUE.read_scenario(SCENARIO + line, "mine", place)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["replicaton"], 151, "did you mean"),
        (["xyzzy"], 151, "; the nearest of "),
        (["replication", "--protocol", "kip-32"], 151, "did you mean"),
        (["replication", "--bounds", "brokers=0"], 151, "expected a value >= 1"),
        (["replication", "--bounds", "records=256"], 151, "a value <= 255"),
        *(
            ([scenario, "--bounds", bound], 151, "expected at most 5,000; ")
            for scenario, bound in (
                ("replication", "brokers=255"),
                ("cluster-s1", "brokers=9,partitions=9,directories=255"),
                ("fetching-two-brokers", "brokers=9,partitions=9,fetchers=9"),
                ("composed-failed-directory", "partitions=255"),
            )
        ),
        (["replication", "--profile", "daily"], 2, "--profile"),
        (["replication", "--examples", "0"], 2, "--examples"),
    ],
)
def test_wrong_flags_are_said_in_one_message(
    arguments: list[str], code: int, message: str
) -> None:
    """Nothing is walked."""
    done = run(*arguments)
    assert done.exit_code == code
    assert message in done.output and "Traceback" not in done.output
    assert len(done.output) < 400
