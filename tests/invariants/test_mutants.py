"""Mutants: every protocol that is known to be wrong is caught, the right ones not."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from operator import attrgetter
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from attrs import evolve
from click.testing import CliRunner

from checkout import DOCS
from mutant_trials import trial_of
from replicheck.cli.main import main
from replicheck.cli.pages.mutant_page import cells_of_page, counts
from replicheck.cli.reports.markdown_table import markdown_row
from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_holds, assert_violated
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.properties import Property, always, every_step
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.invariants.catalogue.systems import System
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import PartitionId
from shipped import CATALOGUE

MUTANTS = tuple(CATALOGUE.mutants.values())
PAGE = (DOCS / "mutants.md").read_text("utf-8")
KILLED = [mutant for mutant in MUTANTS if mutant.expected == "killed"]


def every_mutant() -> list[ParameterSet]:
    """All mutants; of those of the composed model one in four is not slow."""
    composed = [
        mutant.name for mutant in MUTANTS if mutant.scenario.model == "composed"
    ]
    late = {name for place, name in enumerate(composed) if place % 4}
    return [
        pytest.param(
            mutant,
            id=mutant.name,
            marks=pytest.mark.slow if mutant.name in late else (),
        )
        for mutant in MUTANTS
    ]


@pytest.mark.parametrize("mutant", every_mutant())
def test_a_mutant_does_what_is_expected(mutant: Mutant) -> None:
    """It is caught by its property in as many states, or by nothing as argued.

    The page says so.
    """
    trial = trial_of(mutant.name)
    assert (trial.status, trial.problem) == (mutant.expected, "")
    assert bool(mutant.argument) == (mutant.expected != "killed")
    assert f"{markdown_row(cells_of_page(trial))}\n" in PAGE


def original_of(mutant: Mutant) -> Scenario:
    """The scenario of a mutant with the protocol that it is a mutation of."""
    system = CATALOGUE.systems[mutant.scenario.model]
    original = system.protocols_by_name[mutant.scenario.protocol].original
    return evolve(
        mutant.scenario,
        protocol=(original or system.protocols[-1]).name,
        name="original",
    )


def claim_of(mutant: Mutant) -> Property:
    """The property that a mutant violates."""
    system = CATALOGUE.systems[mutant.scenario.model]
    predicate = system.predicates[mutant.violates]
    return (every_step if predicate in system.steps else always)(predicate)


OF_RUNS = [mutant for mutant in KILLED if mutant.scenario.liveness]


@pytest.mark.parametrize("mutant", OF_RUNS, ids=attrgetter("name"))
def test_the_original_keeps_a_claim_about_runs(mutant: Mutant, tmp_path: Path) -> None:
    """In all fair runs within the bounds of the mutant."""
    scenario = original_of(mutant)
    claims = CATALOGUE.systems[scenario.model].run_claims_by_name
    claim = property_of(claims[mutant.violates])
    assert_holds(mutant.name, claim, protocol=scenario.protocol, traces=tmp_path)


def mutants_by_original() -> list[ParameterSet]:
    """Mutants by the search of the original that is theirs, and is run once.

    One in four of the searches is not slow.
    """
    found: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in [mutant for mutant in KILLED if mutant not in OF_RUNS]:
        model = original_of(mutant)
        search = (model.model, model.protocol, model.bounds, model.initial, model.setup)
        found[repr((search, model.reductions))].append(mutant)
    return [
        pytest.param(
            mutants,
            id=f"{mutants[0].name}-{len(mutants)}",
            marks=pytest.mark.slow if place % 4 else (),
        )
        for place, mutants in enumerate(found.values())
    ]


@pytest.mark.parametrize("mutants", mutants_by_original())
def test_the_original_is_not_caught(mutants: list[Mutant]) -> None:
    """At least up to the depth at which the mutations are, their properties hold.

    A protocol that does not take the steps before a mutant's start is not caught there.
    """
    scenario = original_of(mutants[0])
    try:
        system = CATALOGUE.systems[scenario.model]
        model = model_of(scenario, system, Place(mutants[0].name))
    except ScenarioError as error:
        assert re.search("has 0 next states here|there is no step", str(error))
        return
    report = BreadthFirst(threads=1).explore(
        model,
        [*{mutant.violates: claim_of(mutant) for mutant in mutants}.values()],
        Search(limits=Limits(depth=max(mutant.length or 0 for mutant in mutants))),
    )
    assert not report.violations


def test_a_mutation_of_the_list_replaces_one_function() -> None:
    """Each of M-1 to M-37 breaks one rule."""
    listed = [
        mutation
        for mutation in CATALOGUE.systems["cluster"].mutations
        if re.match(r"m-\d+-", mutation.name)
    ]
    assert len(listed) >= 37
    assert [protocol.name for protocol in listed if len(protocol.changes) != 1] == []


def the_leader_epoch_is_below_5(cluster: Cluster, partition: PartitionId) -> bool:
    """One failure and two shrinks of the ISR do not need so many."""
    content = cluster.partition_nodes[partition].content
    return content is None or content.epoch < 5


def test_an_added_receiver_is_told_for_ever() -> None:
    """M-24 breaks no safety property; each refusal makes a new epoch."""
    claim, bounds = the_leader_epoch_is_below_5, {"metadata": 0}
    told = "m-24-tell-the-offline-replica-too"
    assert_violated("only-in-sync-disk-fails", claim, protocol=told, bounds=bounds)
    assert_holds("only-in-sync-disk-fails", claim, bounds=bounds)


def test_every_mutation_is_in_the_data() -> None:
    """None is forgotten."""
    known = {mutant.scenario.protocol for mutant in MUTANTS}
    for system in CATALOGUE.systems.values():
        assert {mutation.name for mutation in system.mutations} <= known


@pytest.mark.parametrize("system", CATALOGUE.systems.values(), ids=attrgetter("name"))
def test_every_property_can_fail(system: System) -> None:
    """A mutant violates it, or a scenario does in which Kafka itself is wrong."""
    violated = {
        mutant.violates for mutant in KILLED if mutant.scenario.model == system.name
    }
    for scenario in CATALOGUE.scenarios.values():
        if scenario.model == system.name and scenario.expect is not None:
            violated.update(scenario.expect.violations)
    properties = {
        predicate.__name__ for predicate in (*system.invariants, *system.steps)
    }
    assert properties - violated == set()


def test_the_page_has_every_mutant_in_order() -> None:
    """`make docs` writes it anew; each row is compared where its mutant runs."""
    models = dict.fromkeys(mutant.scenario.model for mutant in MUTANTS)
    listed = {
        model: [mutant for mutant in MUTANTS if mutant.scenario.model == model]
        for model in models
    }
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE) == [
        f"{model.capitalize()}: {counts(mutant.expected for mutant in mine)}"
        for model, mine in listed.items()
    ]
    assert re.findall(r"^\| `([^`]+)`", PAGE, re.MULTILINE) == [
        mutant.name for mine in listed.values() for mutant in mine
    ]
    assert [mutant.name for mutant in MUTANTS if mutant.argument not in PAGE] == []


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    done = CliRunner().invoke(main, ["mutants", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_command_prints_a_table() -> None:
    """A mutant can be named by its id."""
    code, out, _ = invoke("M-27", "m-25")
    assert code == 0
    assert out.rstrip().endswith("reductions: none\n2 killed")
    assert out.index("m-25-cache") < out.index("m-27-commit")


def test_the_command_prints_json() -> None:
    """Found and expected are both there."""
    code, out, _ = invoke("m-27", "--json", "-")
    (entry,) = json.loads(out)["mutants"]
    assert code == 0
    assert entry["name"] == "m-27-commit-alone"
    assert (entry["status"], entry["length"], entry["states"]) == ("killed", 2, 2)
    assert entry["expected"]["property"] == entry["property"]
    assert {"issue", "rule", "argument"} <= set(entry)
    assert entry["reductions"] == []


def test_an_unknown_mutant() -> None:
    """One message names the nearest valid one."""
    code, out, err = invoke("m-27", "m-27-commit-alon")
    assert (code, out) == (151, "")
    assert 'did you mean "m-27-commit-alone"?' in err


@pytest.mark.parametrize(
    "change, words",
    [
        ('violates = "no_such_property"', "there is no invariant"),
        ('scenario = "leader-disk-failed"', 'did you mean "leader-disk-fails'),
        ('protocol = "m-27-commit-alon"', 'did you mean "m-27-commit-alone"?'),
        ('equivalent = "It is."', "violates and equivalent"),
        ("lenght = 3", 'did you mean "length"?'),
    ],
)
def test_wrong_data_are_refused(change: str, words: str) -> None:
    """The place is named, and what would be right."""
    table = {
        "name": '"m-27-commit-alone"',
        "rule": '"B-HW-1"',
        "violates": '"stored_isr_is_never_empty"',
        "length": "2",
    }
    key, _, value = change.partition(" = ")
    lines = [f"{key} = {value}" for key, value in {**table, key: value}.items()]
    text = "\n".join(['system = "cluster"', "[[mutant]]", *lines])
    with pytest.raises(ScenarioError, match=re.escape(words)):
        CATALOGUE.read_mutants(text, Place("mine.toml"))


def test_a_mutant_that_lives_fails_the_command() -> None:
    """Nothing found is no success where something was expected."""
    mutant = CATALOGUE.mutants["m-27-commit-alone"]
    harmless = evolve(mutant.scenario, bounds={**mutant.scenario.bounds, "records": 0})
    mutants = {mutant.name: evolve(mutant, scenario=harmless)}
    catalogue = evolve(CATALOGUE, mutants=mutants)
    done = CliRunner().invoke(main, ["mutants"], obj=catalogue)
    assert done.exit_code == 10
    assert "nothing catches it, expected that" in done.stdout
    assert "1 alive" in done.stdout


def test_a_mutant_can_be_checked_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its counterexample is told and saved."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "m-27-commit-alone"])
    assert done.exit_code == 0, done.output
    assert "VIOLATED isr_members_have_committed_records" in done.stdout
    assert len(list(tmp_path.glob("counterexamples/*.jsonl"))) == 1
