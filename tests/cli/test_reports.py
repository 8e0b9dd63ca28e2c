"""The reports of a run: JUnit XML, JSON, annotations, HTML and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from jsonschema import Draft202012Validator
from lxml import etree

import toys
from checkout import DOCS, SCHEMAS
from command_line.reports import ENTRY, EVERYTHING, check
from replicheck.cli.reports.junit_report import junit
from replicheck.cli.results.result import Result as CheckResult
from replicheck.cli.results.run_summary import RunSummary, assess
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engines.reference.naive import Naive

SCHEMA = json.loads((DOCS / "report.schema.json").read_text("utf-8"))


JUNIT = [
    etree.XMLSchema(etree.parse(SCHEMAS / f"{name}.xsd"))
    for name in ("junit-10", "numbers")
]
"""The schema of Jenkins' plugin xUnit, unchanged; and what it leaves to the reader."""

pytestmark = pytest.mark.usefixtures("elsewhere")


def task_report(task: Task) -> Any:
    """The naive engine's report of a task."""
    return Naive().explore(task.model, task.properties)


def junit_of(*options: str, entries: tuple[str, ...] = EVERYTHING) -> Any:
    """The test cases of the JUnit file, which fits the schemas."""
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
    root = etree.fromstring(junit(RunSummary(list(map(assess, results)))).encode())
    assert root.get("time") == "0.3"
    assert JUNIT[0].validate(root)


def test_junit_tells_the_story() -> None:
    """The text of a failure is the run, and the output says how to repeat it."""
    case = junit_of()[2]
    assert "VIOLATED is_below_two: the shortest run has 2 states" in case[0].text
    assert "reproduce: replicheck check mine.toml --entry 3" in case[1].text


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
    assert found[-1][2] == "5 failed, 1 passed; exit code 75"


def test_annotations_escape_what_would_end_them() -> None:
    """Line breaks, colons and commas are written as GitHub wants them."""
    _, values, message = next(commands(check("--annotations").stdout))
    assert "title=counter%2C dead%3A EXPECTATION" in values
    assert "%0Areproduce: replicheck check" in message


def test_annotations_warn_of_an_accepted_cut() -> None:
    """What is accepted is no error, and is still said."""
    cut = EVERYTHING[4:5]
    done = check("--annotations", "--accept-incomplete", entries=cut)
    assert [kind for kind, _, _ in commands(done.stdout)] == ["warning", "notice"]
