"""Searches the scenarios of KIP-112 with one further fault of each kind.

Each scenario is searched once for each kind of fault, with one more allowed than the
scenario has. What is found becomes the suite ``further-faults``, and the table in
``docs/cluster.md``. A search that the suite has as complete is not done again, nor one
that was cut at as many states; delete its entry to have it done anew. With
``--step-reductions`` it is done with reductions, which are in its entry then.
"""

from __future__ import annotations

import argparse
import re
import textwrap
import time
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Outcome, Report
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.scenario import Scenario

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "invariants" / "suites" / "further-faults.toml"
PAGE = ROOT / "docs" / "cluster.md"
KINDS = (
    "crashes",
    "restarts",
    "session_expiries",
    "controller_moves",
    "directory_failures",
    "replacements",
    "duplicates",
    "lost_replies",
    "isr_shrinks",
)
OF_KIP_112 = re.compile(r"\(KIP-112 (scenario|test) \d, [st]\d\)$")
Entry = dict[str, Any]
Entries = dict[tuple[str, str], Entry]
SUMMARY = "Scenarios of KIP-112 with one further fault of each kind"
MARKS = ("<!-- further faults -->\n", "<!-- end of further faults -->\n")


def scenarios(catalogue: Catalogue) -> list[str]:
    """The scenarios of KIP-112, variants and system tests included.

    Those are left out all of whose properties are known to be violated.
    """
    return [
        name
        for name, scenario in catalogue.scenarios.items()
        if OF_KIP_112.search(scenario.summary) and claimed(scenario, "invariants")
    ]


def can_happen(scenario: Scenario, kind: str) -> bool:
    """Tell whether one more fault of a kind is a step of any run.

    Only a broker that is off starts, and only its disk is replaced.
    """
    if kind not in ("restarts", "replacements"):
        return True
    bounds = scenario.bounds
    halts = bounds["directory_failures"] >= bounds["directories"]
    off = bounds["crashes"] or bounds["shutdowns"] or halts
    return bool(off and (kind == "restarts" or bounds["directory_failures"]))


def known() -> Entries:
    """The entries of the suite, by scenario and kind of fault."""
    if not SUITE.exists():
        return {}
    checks = tomllib.loads(SUITE.read_text("utf-8"))["check"]
    return {(each["scenario"], next(iter(each["bounds"]))): each for each in checks}


def searched(
    catalogue: Catalogue,
    name: str,
    choices: Overrides,
    states: int,
    unasked: Collection[str] = (),
) -> Entry:
    """The entry of a suite for what a search finds, but for some properties."""
    (task,) = tasks(catalogue, [name], choices)
    entry: Entry = {"scenario": name, "bounds": dict(choices.bounds or {})}
    if task.scenario.reductions:
        entry["reductions"] = list(task.scenario.reductions)
    for what in ("invariants", "steps"):
        rest = [each for each in claimed(task.shipped, what) if each not in unasked]
        if len(rest) < len(getattr(task.scenario, what)):
            entry[what] = rest
            kept: dict[str, Any] = {what: tuple(rest)}
            task = evolve(task, scenario=evolve(task.scenario, **kept))
    search = Search(Limits(states=states), Stop.DECIDED)
    report = BreadthFirst().explore(task.model, task.properties, search)
    return entry | expected(report, task.scenario.witnesses, states)


def claimed(scenario: Scenario, what: str) -> list[str]:
    """The properties but those that are violated without a further fault."""
    violated = scenario.expect.violations if scenario.expect else ()
    return [name for name in getattr(scenario, what) if name not in violated]


def expected(report: Report[Any], witnesses: tuple[str, ...], states: int) -> Entry:
    """Expectation of an entry: its declarations and what it says of a search."""
    entry: Entry = {} if report.cut is None else {"limits": {"states": states}}
    expect: Entry = {"verdict": report.verdict.value}
    if report.violations:
        found = {each.property: len(each.trace.states) for each in report.violations}
        entry["stop"] = "decided"
        expect["violations"] = found
    elif report.cut is None:
        expect |= {"states": report.states, "depth": report.depth}
    if report.cut is None:
        entry |= unused(report, witnesses)
    return entry | {"expect": expect}


def unused(report: Report[Any], witnesses: tuple[str, ...]) -> Entry:
    """The actions and witnesses that a whole search never took and never reached."""
    dead = [name for name, count in report.actions.items() if not count.enabled]
    unreached = [
        name for name in witnesses if report.outcomes[name] is Outcome.UNREACHED
    ]
    return {"dead_actions": dead, "unreached": unreached}


def written(entry: Entry) -> str:
    """An entry as it stands in the suite."""
    lines = ["[[check]]", f'scenario = "{entry["scenario"]}"']
    for key in ("bounds", "limits"):
        if key in entry:
            inside = ", ".join(f"{name} = {n}" for name, n in entry[key].items())
            lines.append(f"{key} = {{ {inside} }}")
    if "stop" in entry:
        lines.append(f'stop = "{entry["stop"]}"')
    for key in ("reductions", "invariants", "steps", "dead_actions", "unreached"):
        if key in entry:
            lines += named(key, entry[key])
    expect = entry["expect"]
    if "violations" not in expect:
        inside = ", ".join(f"{key} = {value(each)}" for key, each in expect.items())
        return "\n".join([*lines, f"expect = {{ {inside} }}\n"])
    lines += ["[check.expect]", f'verdict = "{expect["verdict"]}"']
    lines.append("[check.expect.violations]")
    lines += [f"{name} = {n}" for name, n in expect["violations"].items()]
    return "\n".join(lines) + "\n"


def value(each: str | int) -> str:
    """A value as TOML has it."""
    return f'"{each}"' if isinstance(each, str) else str(each)


def named(key: str, names: list[str]) -> Iterator[str]:
    """Yield the lines of a list of names."""
    if not names:
        yield f"{key} = []"
        return
    yield f"{key} = ["
    text = ", ".join(f'"{each}"' for each in names) + ","
    yield from textwrap.wrap(text, 84, initial_indent="    ", subsequent_indent="    ")
    yield "]"


def ordered(catalogue: Catalogue, entries: Entries) -> list[Entry]:
    """The entries by scenario and kind."""
    pairs = ((name, kind) for name in scenarios(catalogue) for kind in KINDS)
    return [entries[pair] for pair in pairs if pair in entries]


def table(catalogue: Catalogue, entries: Entries) -> str:
    """The matrix of scenarios and kinds, and the list of what is violated."""
    lines = ["| scenario | " + " | ".join(f"`{kind}`" for kind in KINDS) + " |"]
    lines.append("|---" * (len(KINDS) + 1) + "|")
    broken: dict[str, list[str]] = {}
    for name in scenarios(catalogue):
        scenario = catalogue.scenarios[name]
        cells = [cell(scenario, kind, entries.get((name, kind))) for kind in KINDS]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        for kind in KINDS:
            expect = entries.get((name, kind), {}).get("expect", {})
            for each, length in expect.get("violations", {}).items():
                where = f"{name} + {kind} ({length})"
                broken.setdefault(each, []).append(where)
    lines += ["", "| violated | where (states of the shortest run) |", "|---|---|"]
    lines += [f"| `{each}` | {', '.join(where)} |" for each, where in broken.items()]
    return "\n".join(lines) + "\n"


def cell(scenario: Scenario, kind: str, entry: Mapping[str, Any] | None) -> str:
    """Cell of the matrix for one search, slanted if it is one with reductions."""
    if entry is None:
        return "not tried" if can_happen(scenario, kind) else "never"
    slanted = "*" if entry.get("reductions") else ""
    return f"{slanted}{outcome(entry)}{slanted}"


def outcome(entry: Mapping[str, Any]) -> str:
    """Outcome of a search, in short."""
    expect = entry["expect"]
    match expect["verdict"]:
        case "violated":
            return f"violated, {min(expect['violations'].values())}"
        case "incomplete":
            return f"> {entry['limits']['states']:,}"
    return f"{expect['states']:,}"


def write_suite(path: Path, bench: str, summary: str, entries: Iterable[Entry]) -> None:
    """Write a suite, and which bench writes it."""
    text = "\n".join(written(each) for each in entries)
    head = f"# Written by bench/{bench}.py.\n"
    path.write_text(f'{head}summary = "{summary}"\n\n{text}', "utf-8")


def write_between(path: Path, marks: tuple[str, str], text: str) -> None:
    """Write a table between the marks of a page."""
    page = path.read_text("utf-8")
    first, last = (page.index(mark) for mark in marks)
    path.write_text(page[: first + len(marks[0])] + text + page[last:], "utf-8")


def is_searched(entry: Entry | None, states: int) -> bool:
    """Tell whether an entry is of a whole search, or one cut at so many states."""
    if entry is None:
        return False
    return "limits" not in entry or bool(entry["limits"]["states"] >= states)


def counts_told(entries: Collection[Entry]) -> str:
    """How many searches hold, found something, and were cut, as pages say it."""
    verdicts = [entry["expect"]["verdict"] for entry in entries]
    holds, violated, cut = (
        verdicts.count(verdict) for verdict in ("holds", "violated", "incomplete")
    )
    return (
        f"Of the {len(verdicts)} searches {holds} hold in all states, {violated} found"
        f" a violation, and {cut} were cut"
    )


def main() -> None:
    """Search what is asked for, and write what was found after each search."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="*")
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--step-reductions", action="append", default=[])
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    catalogue = Catalogue.shipped()
    entries = known()
    names = [] if options.table else options.scenario or scenarios(catalogue)
    for name in names:
        for kind in options.kind or KINDS:
            scenario = catalogue.scenarios[name]
            is_known = is_searched(entries.get((name, kind)), options.states)
            if is_known or not can_happen(scenario, kind):
                continue
            started = time.process_time()
            bounds = {kind: scenario.bounds[kind] + 1}
            reductions = tuple(options.step_reductions)
            choices = Overrides("breadth-first", bounds=bounds, reductions=reductions)
            entry = searched(catalogue, name, choices, options.states)
            entries[name, kind] = entry
            print(name, entry["bounds"], entry["expect"], end=" ")
            print(f"{time.process_time() - started:.0f} s of CPU", flush=True)
            kept = ordered(catalogue, entries)
            write_suite(SUITE, "further_faults", SUMMARY, kept)
    write_between(PAGE, MARKS, table(catalogue, entries))


if __name__ == "__main__":
    main()
