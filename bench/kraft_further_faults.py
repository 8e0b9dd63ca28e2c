"""Searches the reference's scenarios of KRaft mode with one further fault of each kind.

Each scenario is searched once for each kind of fault, with one more allowed than its
bounds have, and with what such a fault needs. Some begin in smaller bounds than those
of their file. What is found becomes the suite ``kraft-all-further-faults``, and the
table in ``docs/kraft-coverage.md``. A search that the suite has as complete is not done
again, nor one that was cut at as many states; delete its entry to have it done anew.
"""

from __future__ import annotations

import argparse
import re
import time
import tomllib
from pathlib import Path

from attrs import frozen

from further_faults import Entry, expected, is_searched, write_between, written
from replicheck.cli.results.forecast import forecast
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Report
from replicheck.invariants.catalogue.catalogue import Catalogue

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "invariants" / "suites" / "kraft-all-further-faults.toml"
HEAD = """# Written by bench/kraft_further_faults.py.
summary = "The reference's scenarios of KRaft with one further fault of each kind"
"""
PAGE = ROOT / "docs" / "kraft-coverage.md"
MARKS = ("<!-- further faults -->\n", "<!-- end of further faults -->\n")
FORECAST = re.compile(r"^# about ([\d,]+) states", re.M)
Bounds = dict[str, int]


@frozen
class ReferenceScenario:
    """Scenarios of the reference, by number, and the file that is searched for them.

    ``smaller`` are bounds in place of those of the file.
    """

    numbers: tuple[int, ...]
    name: str
    smaller: tuple[tuple[str, int], ...] = ()


@frozen
class FaultKind:
    """One kind of fault: the bound that allows one more, and what it needs besides."""

    name: str
    bound: str
    needs: tuple[tuple[str, int], ...] = ()

    def one_more(self, known: Bounds) -> Bounds:
        """The bounds to change so that one more such fault can happen."""
        least = {name: n for name, n in self.needs if known[name] < n}
        return {self.bound: known[self.bound] + 1} | least

    def can_happen(self, known: Bounds) -> bool:
        """Tell whether there can be one more: a feature is switched off only once."""
        return self.bound != "elr_downgrades" or known["eligible_leader_replicas"] == 1


SCENARIOS = (
    ReferenceScenario((1, 2, 6), "kraft-disk-fails"),
    ReferenceScenario((3,), "kraft-disks-of-all-fail"),
    ReferenceScenario((4,), "kraft-disk-of-sole-member-fails"),
    ReferenceScenario(
        (5,), "kraft-disk-fails-while-fenced-reported-first", (("partition_epochs", 2),)
    ),
    ReferenceScenario(
        (7,), "kraft-broker-crashes", (("brokers", 2), ("partition_epochs", 3))
    ),
    ReferenceScenario((8,), "kraft-last-replica-crashes", (("partition_epochs", 3),)),
    ReferenceScenario(
        (9,), "kraft-all-brokers-crash", (("records", 0), ("partition_epochs", 4))
    ),
    ReferenceScenario(
        (10,), "kraft-all-brokers-shut-down", (("restarts", 1), ("partition_epochs", 3))
    ),
    ReferenceScenario(
        (11,), "kraft-min-isr-changes-keep-elr", (("partition_epochs", 2),)
    ),
    ReferenceScenario((12,), "kraft-assignment-keeps-elr"),
    ReferenceScenario(
        (13,), "kraft-controller-fails-over", (("brokers", 2), ("min_isr", 1))
    ),
    ReferenceScenario(
        (14,), "kraft-follower-restarts-empty", (("partition_epochs", 2),)
    ),
    ReferenceScenario((15,), "kraft-fenced-broker-is-proposed"),
    ReferenceScenario((16,), "kraft-equal-partition-epoch-ignored"),
    ReferenceScenario(
        (17,), "kraft-disk-fails-before-its-assignment", (("partition_epochs", 2),)
    ),
    ReferenceScenario(
        (18,), "kraft-restart-resumes-move", (("crashes", 0), ("partition_epochs", 3))
    ),
    ReferenceScenario((19,), "kraft-topic-is-created-with-dead-disk"),
    ReferenceScenario((20,), "kraft-controller-fails-over-in-shutdown"),
    ReferenceScenario((21,), "kraft-partition-is-reassigned"),
    ReferenceScenario((22,), "kraft-redirected-reassignment-is-as-asked"),
    ReferenceScenario((23,), "kraft-fenced-leader-goes-on"),
    ReferenceScenario((24,), "kraft-registration-is-refreshed"),
    ReferenceScenario(
        (25,),
        "kraft-leader-skips-epoch-and-forgets",
        (("crashes", 0), ("partition_epochs", 2)),
    ),
    ReferenceScenario((26,), "kraft-elr-has-replicas-only", (("fences", 0),)),
)
RESTART = ("restarts", 1)
TWO_DIRECTORIES = ("directories", 2)
KINDS = (
    FaultKind("crash and restart", "crashes", (RESTART,)),
    FaultKind("lost tail", "lost_tails", (("crashes", 1), RESTART)),
    FaultKind("controlled shutdown", "shutdowns", (RESTART,)),
    FaultKind("session timeout", "fences"),
    FaultKind("smaller ISR", "isr_shrinks"),
    FaultKind("preferred election", "preferred_elections"),
    FaultKind("unclean election", "unclean_elections", (("crashes", 1),)),
    FaultKind("min.insync.replicas", "min_isr_changes"),
    FaultKind("controller failover", "controller_failovers"),
    FaultKind("directory failure", "directory_failures", (TWO_DIRECTORIES,)),
    FaultKind("registration refresh", "registration_refreshes"),
    FaultKind("reassignment", "reassignments"),
    FaultKind(
        "cancelled reassignment", "reassignment_cancels", (("reassignments", 1),)
    ),
    FaultKind("topic created anew", "topic_creations", (("topic_deletions", 1),)),
    FaultKind("ELR switched off", "elr_downgrades"),
    FaultKind("late answer", "late_answers"),
    FaultKind("move", "moves", (TWO_DIRECTORIES,)),
    FaultKind("unregistration", "unregistrations"),
    FaultKind("growing metadata log", "no_op_records"),
)
Entries = dict[tuple[str, str], Entry]
"""The entries by scenario and kind of fault."""


def known() -> Entries:
    """The entries of the suite, with the forecast that a comment has of a cut one."""
    if not SUITE.exists():
        return {}
    entries: Entries = {}
    for block in SUITE.read_text("utf-8").split("\n\n")[1:]:
        (entry,) = tomllib.loads(block)["check"]
        kind = block.split("\n", 1)[0].removeprefix("# ")
        if told := FORECAST.search(block):
            entry["forecast"] = int(told[1].replace(",", ""))
        entries[entry["scenario"], kind] = entry
    return entries


def task_of(
    catalogue: Catalogue, scenario: ReferenceScenario, kind: FaultKind
) -> Task | None:
    """The search for one more fault of a kind, None if there can be none."""
    shipped = catalogue.scenarios[scenario.name].bounds
    smaller = dict(scenario.smaller)
    bounds = {**shipped, **smaller}
    if not kind.can_happen(bounds):
        return None
    choices = Overrides("breadth-first", bounds=smaller | kind.one_more(bounds))
    (task,) = tasks(catalogue, [scenario.name], choices)
    return task


def searched(task: Task, bounds: Bounds, states: int) -> Entry:
    """The entry of the suite for what a search finds."""
    search = Search(Limits(states=states), Stop.DECIDED)
    report = BreadthFirst().explore(task.model, task.properties, search)
    found = expected(report, task.scenario.witnesses, states)
    as_shipped = {"dead_actions": list(task.shipped.dead_actions), "unreached": []}
    kept = {key: told for key, told in found.items() if told != as_shipped.get(key)}
    entry: Entry = {"scenario": task.scenario.name, "bounds": bounds}
    return entry | kept | {"forecast": rounded_forecast(report)}


def rounded_forecast(report: Report[object]) -> int | None:
    """About how many states there are, in two digits; None if it cannot be told."""
    states = None if report.cut is None else forecast(report.levels)
    return None if states is None else int(float(f"{states:.1e}"))


def with_comments(kind: str, entry: Entry) -> str:
    """An entry as it stands in the suite, below its kind and its forecast."""
    lines = [f"# {kind}"]
    if entry.get("forecast"):
        lines.append(f"# about {entry['forecast']:,} states, by the growth of levels")
    return "\n".join([*lines, written(entry)])


def write_suite(entries: Entries) -> None:
    """Write the suite, by scenario and kind."""
    pairs = [(scenario.name, kind.name) for scenario in SCENARIOS for kind in KINDS]
    blocks = [with_comments(p[1], entries[p]) for p in pairs if p in entries]
    SUITE.write_text("\n".join([HEAD, *blocks]), "utf-8")


def table(entries: Entries) -> str:
    """The matrix of kinds of faults and scenarios of the reference."""
    numbers = [", ".join(map(str, column.numbers)) for column in SCENARIOS]
    lines = ["| further fault | " + " | ".join(numbers) + " |"]
    lines.append("|---" * (len(SCENARIOS) + 1) + "|")
    for kind in KINDS:
        cells = [cell(entries.get((column.name, kind.name))) for column in SCENARIOS]
        lines.append(f"| {kind.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def cell(entry: Entry | None) -> str:
    """Cell of the matrix: how a search came out, and whether it was cut."""
    if entry is None:
        return "never"
    if lengths := entry["expect"].get("violations"):
        return f"**{min(lengths.values())}**"
    return "cut" if "limits" in entry else "holds"


def main() -> None:
    """Search what is asked for, and write what was found after each search."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="*")
    parser.add_argument("--states", type=int, default=30_000)
    parser.add_argument("--kind", choices=[k.name for k in KINDS], action="append")
    options = parser.parse_args()
    catalogue = Catalogue.shipped()
    entries = known()
    for scenario in SCENARIOS:
        if options.scenario and scenario.name not in options.scenario:
            continue
        for kind in KINDS:
            if options.kind and kind.name not in options.kind:
                continue
            search_anew(catalogue, entries, scenario, kind, options.states)
    write_between(PAGE, MARKS, table(entries))


def search_anew(
    catalogue: Catalogue,
    entries: Entries,
    scenario: ReferenceScenario,
    kind: FaultKind,
    states: int,
) -> None:
    """Search for one kind of fault unless the suite has it, and write the suite."""
    if is_searched(entries.get((scenario.name, kind.name)), states):
        return
    task = task_of(catalogue, scenario, kind)
    if task is None:
        return
    known_bounds = catalogue.scenarios[scenario.name].bounds
    bounds = {
        name: value
        for name, value in task.scenario.bounds.items()
        if value != known_bounds[name]
    }
    started = time.process_time()
    entry = searched(task, bounds, states)
    entries[scenario.name, kind.name] = entry
    write_suite(entries)
    print(scenario.name, kind.name, entry["expect"], entry["forecast"], end=" ")
    print(f"{time.process_time() - started:.0f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
