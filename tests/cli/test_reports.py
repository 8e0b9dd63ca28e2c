"""The reports of a run: JUnit XML, JSON, annotations, HTML and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from lxml import etree

import toys
from checkout import DOCS, SCHEMAS
from replicheck.cli.main import main
from replicheck.cli.reports.junit_report import junit
from replicheck.cli.results.result import Result as CheckResult
from replicheck.cli.results.run_summary import summarize
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engines.reference.naive import Naive

SCHEMA = json.loads((DOCS / "report.schema.json").read_text("utf-8"))
JUNIT = [
    etree.XMLSchema(etree.parse(SCHEMAS / f"{name}.xsd"))
    for name in ("junit-10", "numbers")
]
"""The schema of Jenkins' plugin xUnit, unchanged; and what it leaves to the reader."""

ENTRY = '[[check]]\nscenario = "counter"\n'
EVERYTHING = (
    ENTRY,
    ENTRY + 'protocol = "dead"\n',
    ENTRY + 'invariants = ["is_below_two"]\n',
    ENTRY + 'protocol = "raising"\n',
    ENTRY + "limits = { depth = 2 }\n",
    ENTRY + 'invariants = ["is_below_two"]\nbounds = { limit = 2 }\n',
)
"""One entry for each verdict, and a second violation of one property."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where reports may be written."""
    monkeypatch.chdir(tmp_path)


def task_report(task: Task) -> Any:
    """The naive engine's report of a task."""
    return Naive().explore(task.model, task.properties)


def check(*options: str, entries: tuple[str, ...] = EVERYTHING) -> Result:
    """Check a suite of these entries."""
    Path("mine.toml").write_text("\n".join(entries), "utf-8")
    arguments = ["check", "mine.toml", *options]
    return CliRunner().invoke(main, arguments, obj=toys.catalogue())


def junit_of(*options: str, entries: tuple[str, ...] = EVERYTHING) -> Any:
    """Return the test cases of the JUnit file, which fits the schemas."""
    check("--junit", "junit.xml", *options, entries=entries)
    root = etree.parse("junit.xml")
    for schema in JUNIT:
        schema.assertValid(root)
    return root.findall(".//testcase")


def test_junit_has_a_case_for_each_result() -> None:
    """A failure is a violation or an unmet expectation; the rest are errors."""
    cases = junit_of()
    marks = [
        [child.tag for child in case if child.tag != "system-out"] for case in cases
    ]
    assert marks == [[], ["failure"], ["failure"], ["error"], ["error"], ["failure"]]
    types = [case[0].get("type") for case in cases]
    assert types[1:] == [
        "expectation",
        "invariant",
        "model-error",
        "incomplete",
        "invariant",
    ]


def test_the_junit_schemas_can_fail() -> None:
    """A mark that no server knows fits none of them."""
    check("--junit", "junit.xml")
    root = etree.parse("junit.xml")
    next(root.iter("testcase")).append(etree.Element("violated"))
    assert not any(schema.validate(root) for schema in JUNIT)


def test_junit_sums_up_seconds_as_the_schema_writes_them() -> None:
    """A sum has at most three decimals, though its numbers are binary."""
    counter = toys.catalogue()
    (task,) = tasks(counter, ["counter"], Overrides("naive"))
    report = task_report(task)
    results = [
        CheckResult(task, evolve(report, seconds=seconds)) for seconds in (0.1, 0.2)
    ]
    root = etree.fromstring(junit(summarize(results)).encode())
    assert root.get("time") == "0.3"
    assert JUNIT[0].validate(root)


def test_junit_tells_the_story() -> None:
    """The text of a failure is the run, and the output says how to repeat it."""
    case = junit_of()[2]
    assert "VIOLATED is_below_two: the shortest run has 2 states" in case[0].text
    assert "repeat: replicheck check mine.toml --entry 3" in case[1].text


def test_junit_never_passes_what_was_cut() -> None:
    """A cut search that is accepted is skipped."""
    constrained = ENTRY + 'protocol = "constrained"\nbounds = { limit = 9 }\n'
    entries = (EVERYTHING[4], constrained)
    cut, left = junit_of("--accept-incomplete", entries=entries)
    assert (cut[0].tag, left[0].tag) == ("skipped", "skipped")
    assert "are not expanded" in cut[0].get("message")
    assert "is_at_most_five keeps 1 state " in left[0].get("message")
    assert [case[0].tag for case in junit_of(entries=entries)] == ["error", "error"]


def test_json_fits_its_schema() -> None:
    """The document of a run with every verdict is as the schema says."""
    document = json.loads(check("--json", "-").stdout)
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(document)


def test_the_schema_names_every_key() -> None:
    """No key is in the document of which the schema says nothing."""
    document = json.loads(check("--json", "-").stdout)
    assert set(document) == set(SCHEMA["properties"])
    known = SCHEMA["$defs"]["result"]["properties"]
    for result in document["results"]:
        assert set(result) == set(known)
        assert set(result["coverage"]) <= set(SCHEMA["$defs"]["coverage"]["properties"])


def test_the_schema_can_fail() -> None:
    """A document with another verdict does not fit."""
    document = json.loads(check("--json", "-").stdout)
    document["results"][0]["verdict"] = "fine"
    assert not Draft202012Validator(SCHEMA).is_valid(document)


def test_violations_are_grouped_and_the_shortest_kept() -> None:
    """Those of one property by one last action are one group."""
    first = ENTRY + 'protocol = "up"\ninvariants = ["is_below_two"]\n'
    longer = first + "bounds = { limit = 9 }\n"
    document = json.loads(check("--json", "-", entries=(longer, first)).stdout)
    (group,) = document["violations"]
    assert (group["property"], group["action"]) == ("is_below_two", "add")
    assert (group["count"], group["states"]) == (2, 2)
    assert Path(group["file"]).exists()


def commands(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, values and message of each workflow command."""
    for line in text.splitlines():
        found = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
        if found:
            yield found[1], found[2], found[3]


def test_annotations_point_to_the_entry() -> None:
    """Each failure is an error at its line of the suite; the last sums up."""
    found = list(commands(check("--annotations").stdout))
    assert [kind for kind, _, _ in found] == ["error"] * 5 + ["notice"]
    text = Path("mine.toml").read_text("utf-8").splitlines()
    for _, values, _ in found[:-1]:
        line = re.search(r"file=mine.toml,line=(\d+),", values)
        assert line is not None
        assert text[int(line[1]) - 1] == "[[check]]"
    assert found[-1][2] == "6 results, 5 of them not as they should be; exit code 75"


def test_annotations_escape_what_would_end_them() -> None:
    """Line breaks, colons and commas are written as GitHub wants them."""
    _, values, message = next(commands(check("--annotations").stdout))
    assert "title=counter%2C dead%3A EXPECTATION" in values
    assert "%0Arepeat: replicheck check" in message


def test_annotations_warn_of_an_accepted_cut() -> None:
    """What is accepted is no error, and is still said."""
    cut = EVERYTHING[4:5]
    done = check("--annotations", "--accept-incomplete", entries=cut)
    assert [kind for kind, _, _ in commands(done.stdout)] == ["warning", "notice"]


def test_the_page_needs_nothing_else() -> None:
    """It has no script and loads nothing, and is well-formed."""
    check("--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert not re.search(r"<script|<link|src=|url\(|https?://", page)
    etree.fromstring(page.encode(), etree.HTMLParser(recover=False))


def test_the_page_has_verdicts_charts_and_guards() -> None:
    """Verdict, states per depth, guards and stories of each result are there."""
    check("--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert "<title>depth 2: 2 states</title>" in page
    assert "VIOLATED is_below_two" in page
    assert "guards counted in 6 of 6 states" in page
    assert "<code>value</code> 3 of 12" in page
    assert "no state enables the action subtract_too_much" in page


def test_the_page_escapes_what_is_not_ours() -> None:
    """A name of a file is text, whatever is in it."""
    Path("a<b>.toml").write_text(ENTRY, "utf-8")
    arguments = ["check", "a<b>.toml", "--html", "page.html"]
    CliRunner().invoke(main, arguments, obj=toys.catalogue())
    assert "a&lt;b&gt;.toml" in Path("page.html").read_text("utf-8")


def test_the_page_has_rules_of_the_cluster() -> None:
    """Rules of actions that took a step are taken; those of others are not."""
    arguments = ["check", "cluster-s6", "--limit-states", "500", "--html", "page.html"]
    CliRunner().invoke(main, arguments)
    page = Path("page.html").read_text("utf-8")
    assert "<h2>Rules</h2>" in page
    assert "never taken" in page
    assert "<td>taken</td>" in page


def test_the_summary_in_markdown() -> None:
    """It has a row for each result, and the story of each failure."""
    check("--markdown", "summary.md")
    text = Path("summary.md").read_text("utf-8")
    assert "6 results, 5 of them not as they should be; exit code 75." in text
    assert "| counter | up | limit=5 | ✅ holds | 6 | 4 | ok |" in text
    assert "| `is_below_two` | `add` | 2 | 2 | counter, up |" in text
    assert "ERROR break_down raised ZeroDivisionError" in text


def test_only_one_report_is_standard_output() -> None:
    """Two documents in one stream are refused before anything is searched."""
    done = check("--json", "-", "--junit", "-")
    assert done.exit_code == 2
    assert "--json and --junit cannot both be standard output" in done.stderr


def test_a_report_that_cannot_be_written() -> None:
    """It is refused before anything is searched."""
    done = check("--html", "none/page.html")
    assert done.exit_code == 2
    assert "--html: there is no directory none" in done.stderr


def test_the_page_shows_mutants() -> None:
    """What was found out about mutants is a table of the page."""
    mutant = {
        "name": "m-1-x",
        "rule": "C-1",
        "status": "caught",
        "property": "a<b",
        "length": 7,
    }
    Path("mutants.json").write_text(json.dumps({"mutants": [mutant]}), "utf-8")
    check("--html", "page.html", "--mutants", "mutants.json")
    page = Path("page.html").read_text("utf-8")
    assert "<td>m-1-x</td>" in page
    assert "a&lt;b" in page


def test_the_page_shows_the_mutants_of_the_run() -> None:
    """A result of a mutation is one, and no file is needed for that."""
    name = "m-8-remove-the-last-member"
    arguments = ["check", name, "--html", "page.html", "--no-cache"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    page = Path("page.html").read_text("utf-8")
    cells = f"<td>{name}</td><td>C-ISR-1</td><td>killed</td>"
    assert f"{cells}<td><code>the_stored_isr_is_never_empty</code></td>" in page


@pytest.mark.parametrize("text", ["[]", "{}", '{"mutants": [{"name": "m-1"}]}', "no"])
def test_a_file_that_holds_no_mutants(text: str) -> None:
    """It is refused before anything is searched."""
    Path("mutants.json").write_text(text, "utf-8")
    done = check("--html", "page.html", "--mutants", "mutants.json")
    assert done.exit_code == 151
    assert "mutants.json does not hold mutants; expected what" in done.stderr
    assert check("--mutants", "none.json").exit_code == 151


def test_coverage_as_a_table() -> None:
    """Each action has its counts, and the guards that turned it down."""
    done = check("--coverage", entries=EVERYTHING[1:2])
    assert "guards are counted in 6 of 6 states" in done.stdout
    assert "subtract_too_much │     0 │   never │ value 6 of 6" in done.stdout


def test_coverage_of_an_engine_that_counts_no_guards() -> None:
    """The engine is named, and the actions still have their counts."""
    done = check("--coverage", "--engine", "naive", entries=EVERYTHING[:1])
    assert "the engine naive counts no guards" in done.stdout
    assert "│ add    │     9 │       9 │" in done.stdout


def test_a_table_of_violations_that_are_alike() -> None:
    """Where one property is violated in several results, the shortest is named."""
    done = check()
    assert re.search(r"is_below_two +│ add +│ +2 │ +2 │ counter, up", done.stdout)
