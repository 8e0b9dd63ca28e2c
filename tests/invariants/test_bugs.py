"""The register of Kafka's bugs: what it claims is so, and its page is current."""

from __future__ import annotations

import json
import re
from operator import attrgetter
from pathlib import Path

import pytest
from click.testing import CliRunner

from checkout import DOCS
from mutant_trials import trial_of
from replicheck.cli.main import main
from replicheck.cli.pages.bug_folder import mutants_of, page_name, write_folder
from replicheck.cli.pages.bug_page import bugs_with_runs, run_section, tables
from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_violated
from replicheck.invariants.catalogue.bugs import STATUSES, Bug
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.mutants import Mutant
from shipped import CATALOGUE

BUGS = tuple(CATALOGUE.bugs.values())
PAGE = (DOCS / "bugs.md").read_text("utf-8")
LINES = {
    "name": '"KAFKA-1"',
    "title": '"A replica is lost"',
    "tier": '"extra"',
    "rule": '"Keep it"',
    "instead": '"Lose it"',
    "fixed_in": '"0.8.0"',
}


def register(**changes: str) -> str:
    """A register of one bug, with some keys written otherwise."""
    lines = [f"{key} = {value}" for key, value in {**LINES, **changes}.items()]
    return "\n".join(["[[bug]]", *lines, ""])


def read(text: str) -> dict[str, object]:
    """The bugs of a register that a user could have written."""
    return dict(CATALOGUE.read_bugs(text, Place("mine.toml")))


def test_every_bug_of_the_museum_is_in_the_register() -> None:
    """42 of them must be shown."""
    assert len(BUGS) == 168
    assert sum(bug.tier == "must" for bug in BUGS) == 42


def test_a_mutant_with_the_issue_of_a_bug_is_one_of_its_mutants() -> None:
    """What a mutant says of itself is what the register says of it.

    One that nothing can catch is named by the argument.
    """
    by_issue: dict[str, set[str]] = {}
    for bug in BUGS:
        for issue in bug.issues:
            known = by_issue.setdefault(issue, set())
            known.update(mutant.name for mutant in bug.mutants)
            known.update(re.findall(r"[\w-]+", bug.reason))
    for mutant in CATALOGUE.mutants.values():
        assert mutant.issue not in by_issue or mutant.name in by_issue[mutant.issue]


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"reproduced": '["m-27-commit-alon"]'}, 'did you mean "m-27-commit-alone"?'),
        ({"reproduced": '["m-22-stop-first"]'}, "to be equivalent, not killed"),
        ({"liveness": '["m-27-commit-alone"]'}, "to be killed, not alive"),
        ({"outside": '"It is."', "equivalent": '"So."'}, "equivalent and outside"),
        ({"tier": '"most"'}, "tier"),
        ({"reproducd": "[]"}, 'did you mean "reproduced"?'),
    ],
)
def test_wrong_data_are_refused(changes: dict[str, str], words: str) -> None:
    """The place is named, and what would be right."""
    with pytest.raises(ScenarioError, match=re.escape(words)):
        read(register(**changes))


def changes_of(bug: Bug) -> list[int]:
    """Number of functions that each mutation replaces; a version of Kafka is none."""
    protocols = [
        CATALOGUE.systems[mutant.scenario.model].protocols_by_name[
            mutant.scenario.protocol
        ]
        for mutant in bug.mutants
    ]
    return [
        len(protocol.changes) for protocol in protocols if protocol.original is not None
    ]


def test_what_must_be_shown_is_a_mutation_of_one_function() -> None:
    """Of Kafka 2.5.1, or of another protocol that is right; or an old version."""
    must = [bug for bug in BUGS if bug.tier == "must"]
    assert {count for bug in must for count in changes_of(bug)} == {1}


def test_more_than_one_function_is_explained() -> None:
    """A mutation that replaces several says why, and so does the page."""
    for bug in BUGS:
        if any(count > 1 for count in changes_of(bug)):
            assert bug.differs, bug.name
        assert bug.differs in PAGE


def test_a_bug_is_there_once() -> None:
    """Its name is that of the issue."""
    with pytest.raises(ScenarioError, match='"KAFKA-1" is there twice'):
        read(register() + register())


def invoke(*arguments: str, catalogue: Catalogue = CATALOGUE) -> tuple[int, str]:
    """Exit code and standard output of the command."""
    done = CliRunner().invoke(main, ["bugs", *arguments], obj=catalogue)
    return done.exit_code, done.stdout


def test_the_command_lists_every_bug() -> None:
    """As text with the counts at the end, and as JSON."""
    code, text = invoke()
    assert code == (10 if any(bug.is_missing for bug in BUGS) else 0)
    assert [bug.name for bug in BUGS if bug.name not in text] == []
    assert text.splitlines()[-3].startswith("42 must: ")
    entries = json.loads(invoke("--json", "-")[1])["bugs"]
    assert [entry["name"] for entry in entries] == [bug.name for bug in BUGS]
    assert {entry["status"] for entry in entries} <= {*STATUSES}


@pytest.mark.parametrize(
    "status, code",
    [
        ({}, 10),
        ({"outside": '"There is no disk."'}, 10),
        ({"equivalent": '"It is the same."'}, 0),
        ({"reproduced": '["m-27-commit-alone"]'}, 0),
    ],
)
def test_a_bug_that_must_be_shown_and_is_not(status: dict[str, str], code: int) -> None:
    """The command fails: nothing shown is no success."""
    bugs = CATALOGUE.read_bugs(register(tier='"must"', **status), Place("mine.toml"))
    assert invoke(catalogue=Catalogue(CATALOGUE.systems, bugs=bugs))[0] == code


def test_the_tables_of_the_page_are_current() -> None:
    """`make docs` writes them anew; the runs that follow are of the right bugs."""
    assert PAGE.startswith(tables(BUGS))
    told = re.findall(r"^### (.*)$", PAGE, re.MULTILINE)
    assert told == [f"{bug.name}: {bug.title}" for bug, _ in bugs_with_runs(BUGS)]


@pytest.mark.parametrize(
    ("bug", "mutant"), list(bugs_with_runs(BUGS)), ids=attrgetter("name")
)
def test_the_run_on_the_page_is_current(bug: Bug, mutant: Mutant) -> None:
    """It is the one that the search finds."""
    assert run_section(bug, trial_of(mutant.name)) in PAGE


@pytest.mark.parametrize(
    "bug", [bug for bug in BUGS if bug.lasso is not None], ids=attrgetter("name")
)
def test_a_bug_that_never_ends_is_a_lasso(bug: Bug) -> None:
    """The claim about runs is broken in a loop of so many steps."""
    assert bug.lasso is not None
    claims = CATALOGUE.systems[model_of(bug.lasso.search)].run_claims_by_name
    violation = assert_violated(
        bug.lasso.search,
        property_of(claims[bug.lasso.claim]),
        states=bug.lasso.states,
    )
    assert violation.loop == bug.lasso.states - 1 - bug.lasso.repeats


def model_of(search: str) -> str:
    """The model of a mutant or a scenario."""
    if search in CATALOGUE.mutants:
        return CATALOGUE.mutants[search].scenario.model
    return CATALOGUE.scenarios[search].model


def test_each_bug_has_a_page_of_its_own() -> None:
    """No two have one name."""
    assert len({page_name(bug) for bug in BUGS}) == len(BUGS)
    assert page_name(BUGS[0]) == "kafka-10314"


def test_a_page_has_the_picture_of_its_run(tmp_path: Path) -> None:
    """One that nothing reproduces has the reason in its place."""
    shown = next(bug for bug in BUGS if bug.name.startswith("KAFKA-7837"))
    reasoned = next(bug for bug in BUGS if bug.status == "outside")
    (mutant,) = mutants_of([shown, reasoned])
    trials, pictures = {mutant.name: trial_of(mutant.name)}, {mutant.name: "<svg/>"}
    write_folder([shown, reasoned], trials, pictures, tmp_path)
    page = (tmp_path / f"{page_name(shown)}.md").read_text("utf-8")
    assert f"]({mutant.name}.svg)" in page
    assert (tmp_path / f"{mutant.name}.svg").read_text("utf-8") == "<svg/>"
    text = (tmp_path / f"{page_name(reasoned)}.md").read_text("utf-8")
    assert " ".join(reasoned.reason.split()) in text
    index = (tmp_path / "index.md").read_text("utf-8")
    assert f"]({page_name(shown)}.md)" in index
