"""``replicheck advise``: which faults a configuration of a topic survives."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from command_line.messages import require_message
from replicheck.cli.advice.cell_searches import CellSearches
from replicheck.cli.advice.configuration import (
    QUESTIONS,
    Configuration,
    FaultSet,
    fault_sets,
    is_within,
    shipped_configurations,
)
from replicheck.cli.advice.model_code import code_of
from replicheck.cli.advice.shipped import read_results
from replicheck.cli.advice.table import (
    AdviceTable,
    Answer,
    Row,
    computed_table,
)
from replicheck.cli.main import main
from replicheck.cli.runs.single_search import single_searches
from replicheck.invariants.catalogue.catalogue import Catalogue

KINDS = "crash, disk, session, controller, "
TWO = Configuration(2, 1, unclean=True)
SHIPPED = [*shipped_configurations()]
USUAL = Configuration(3, 2, unclean=False)
REPLAYED = [
    known if known in (TWO, USUAL) else pytest.param(known, marks=pytest.mark.slow)
    for known in SHIPPED
]
SMALL_SETS: list[FaultSet] = [(), ("crash",), ("disk",), ("controller",)]

pytestmark = pytest.mark.usefixtures("elsewhere")


def advise(*arguments: str) -> Result:
    """Run `replicheck advise` on the shipped models."""
    return CliRunner().invoke(main, ["advise", *arguments])


def shipped(configuration: Configuration) -> AdviceTable:
    """The shipped table of a configuration."""
    table = read_results().table(configuration)
    assert table is not None
    return table


def test_each_configuration_has_a_table() -> None:
    """Replication factors to 3, all min.insync.replicas, both kinds of election."""
    tables = read_results().tables
    found = [table.configuration for table in tables]
    assert sorted(found, key=str) == sorted(SHIPPED, key=str)


@pytest.mark.parametrize("configuration", REPLAYED, ids=str)
def test_each_shipped_run_answers_its_question(configuration: Configuration) -> None:
    """The present model takes its steps, and only the last state is of the kind."""
    catalogue = Catalogue.shipped()
    searches = CellSearches(catalogue, configuration)
    predicates = catalogue.systems["cluster"].predicates
    for faults, row in shipped(configuration).rows.items():
        for question, steps in row.runs.items():
            trace = searches.trace(faults, question, steps)
            reached = [
                predicates[QUESTIONS[question]](state, 0) for state in trace.states
            ]
            assert reached == [*[False] * len(steps), True]


@pytest.mark.parametrize("faults", SMALL_SETS, ids=str)
@pytest.mark.parametrize("configuration", [TWO, Configuration(2, 2, unclean=False)])
def test_a_sample_of_cells_is_found_again(
    configuration: Configuration, faults: FaultSet
) -> None:
    """The same number of states, and runs of the same length."""
    known = shipped(configuration).rows[faults]
    searches = CellSearches(Catalogue.shipped(), configuration)
    with single_searches(1) as search:
        found = searches.rows(search)(faults, known.asked)
    assert found is not None
    assert (found.states, found.is_complete) == (known.states, known.is_complete)
    assert {question: len(steps) for question, steps in found.runs.items()} == {
        question: len(steps) for question, steps in known.runs.items()
    }


@pytest.mark.parametrize("configuration", SHIPPED, ids=str)
def test_a_table_says_what_any_kafka_engineer_knows(
    configuration: Configuration,
) -> None:
    """Without faults all goes on; crashes lose records by unclean elections only."""
    table = shipped(configuration)
    for question in QUESTIONS:
        assert table.cell((), question).answer is Answer.CANNOT
    crashes = ("crash",) * configuration.replication_factor
    assert table.cell(crashes, "reads").answer is Answer.CAN
    assert table.cell(crashes, "writes").answer is Answer.CAN
    if not configuration.unclean:
        assert table.cell(crashes, "lost").answer is not Answer.CAN


@pytest.mark.parametrize(
    ("question", "configuration", "faults", "mutant"),
    [
        (
            "lost",
            Configuration(2, 1, unclean=False),
            ("crash",),
            "b-prod-1-acknowledge-at-once",
        ),
        ("writes", USUAL, ("disk",), "m-4-take-only-dead-leaders-for-offline"),
        ("reads", USUAL, ("disk",), "m-4-take-only-dead-leaders-for-offline"),
    ],
)
def test_a_mutant_can_what_kafka_cannot(
    question: str, configuration: Configuration, faults: FaultSet, mutant: str
) -> None:
    """The search of a cell that says "no" would find a run if a rule were broken."""
    assert shipped(configuration).cell(faults, question).answer is Answer.CANNOT
    catalogue = Catalogue.shipped()
    task = CellSearches(catalogue, configuration).task(faults, (question,))
    broken = evolve(task.scenario, protocol=mutant, reductions=())
    with single_searches(1) as search:
        found = search(evolve(task, scenario=broken))
    assert [*found.report.reached] == [QUESTIONS[question]]


def test_an_unclean_election_loses_a_record_that_a_clean_one_keeps() -> None:
    """After one crash a replica leads that had lagged."""
    assert shipped(TWO).cell(("crash",), "lost").answer is Answer.CAN
    clean = shipped(Configuration(2, 1, unclean=False))
    assert clean.cell(("crash", "crash"), "lost").answer is Answer.CANNOT


def test_a_set_that_contains_a_smaller_one_is_not_searched() -> None:
    """Its answer is that of the smaller one; a cut search leaves the cell unknown."""
    asked: list[FaultSet] = []

    def search(faults: FaultSet, questions: tuple[str, ...]) -> Row:
        asked.append(faults)
        runs = dict.fromkeys(questions, ("step()",)) if faults == ("disk",) else {}
        return Row(faults, questions, 5, faults != ("session",), runs)

    table = computed_table(TWO, search)
    assert asked == [
        faults for faults in fault_sets() if "disk" not in faults or len(faults) == 1
    ]
    assert table.cell(("crash", "disk"), "lost").faults == ("disk",)
    assert table.cell(("session",), "lost").answer is Answer.CUT
    assert table.cell(("crash",), "lost").answer is Answer.CANNOT
    assert [*table.cut()] == [(("session",), question) for question in QUESTIONS]
    assert all(is_within(("disk",), faults) for faults in table.minimal("lost"))


def test_searches_that_the_user_ends() -> None:
    """What was not searched is not known."""
    table = computed_table(TWO, lambda faults, asked: None)
    assert len([*table.cut()]) == len([*fault_sets()]) * len(QUESTIONS)


def test_the_table_of_a_configuration() -> None:
    """One line for each set of faults, after the smallest sets."""
    done = advise("--replication-factor", "1", "--min-insync-replicas", "1")
    assert done.exit_code == 0, done.output
    assert "Can lose an acknowledged record: disk\n" in done.stdout
    assert "Can stop writes: crash; disk\n" in done.stdout
    assert "\ncrash                             no            run 3" in done.stdout


def test_the_run_of_a_cell() -> None:
    """Its steps are printed, and saved as a trace of its own."""
    done = advise(
        *("--replication-factor", "2", "--min-insync-replicas", "2"),
        *("--show", "lost:disk,disk"),
    )
    assert done.exit_code == 0, done.output
    assert "disk,disk can lose an acknowledged record: a shortest run" in done.stdout
    assert "FAULT fail_directory(broker=" in done.stdout
    (saved,) = Path("counterexamples").iterdir()
    assert f"Saved: {saved}" in done.stdout
    shown = CliRunner().invoke(main, ["trace", "show", str(saved)])
    assert shown.exit_code == 0, shown.output


def test_a_cell_without_a_run() -> None:
    """All states were visited; the code is 10."""
    done = advise(
        *("--replication-factor", "2", "--min-insync-replicas", "2"),
        *("--show", "reads:crash"),
    )
    assert done.exit_code == 10, done.output
    assert "crash cannot stop reads: all " in done.stdout
    assert "reproduce: replicheck find " in done.stdout


def test_searches_that_are_done_now() -> None:
    """A limit leaves cells unknown, with the code 77."""
    done = advise(
        *("--replication-factor", "1", "--min-insync-replicas", "1"),
        *("--recompute", "--limit-states", "100"),
    )
    assert done.exit_code == 77, done.output
    assert "(others are not known)" in done.stdout


def test_docstrings_and_comments_are_no_code() -> None:
    """A digest of code stays where only a text changes."""
    before = '"""Text."""\n# Comment\n\nx = "a"\n\ndef f():\n    """Text."""\n'
    assert code_of(before) == 'x = "a"\ndef f():'


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--min-insync-replicas", "4"), 2, "expected at most the replication factor"),
        (("--show", "lost:"), 2, f"'lost:' names no faults: expected some of {KINDS}"),
        (("--show", "lost:tea"), 2, f"there is no fault 'tea'; known: {KINDS}none\n"),
        (("--replication-factor", "5"), 151, "--recompute searches for others"),
        (("--limit-states", "5"), 2, "--limit-states is of --recompute"),
        (("--unclean", "perhaps"), 2, "'perhaps' is not a valid boolean"),
        (("--show", "lost"), 2, "is not of the form QUESTION:FAULTS"),
        (("--show", "lots:disk"), 2, 'did you mean "lost"'),
        (("--show", "lost:disc"), 2, 'did you mean "disk"'),
        (("--show", "lost:disk,disk,disk,disk"), 2, "at most 3 faults, got 4"),
    ],
)
def test_wrong_input(arguments: tuple[str, ...], code: int, message: str) -> None:
    """One message names what is wrong."""
    require_message(advise(*arguments), code, message)
