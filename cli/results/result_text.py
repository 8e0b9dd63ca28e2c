"""What a result covered and found, in words. Nothing found is not "holds"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from replicheck.cli.console.exit_codes import most_severe
from replicheck.cli.results.assessment import Finding, constraints
from replicheck.cli.results.result import INTERRUPTED, NOT_STARTED, Result
from replicheck.cli.tasks.engine_settings import Counting
from replicheck.explorer.report import Outcome, Verdict
from replicheck.explorer.statistics import FunctionRuns, MemoryUse, Statistics

MOST_NAMED = 12
"""More undecided properties are counted."""
MANY_STATES = 100_000
"""Of fewer, the bytes kept for each are those of empty tables."""
ENOUGH_STEPS = 1_000_000
"""A smaller search is mostly learning, which says nothing."""
ENOUGH_RUNS = 50_000
"""What ran so often took long, however small the search was."""
MOST_RUNS = 0.003
"""Runs of a function in Python for each step that is generated."""
MANY_READS = 4
"""So many answers in each run may together be new, though each of them is not."""
FEW_VALUES = 16
"""A cell with a value for so many runs is not what makes them new."""


def coverage(result: Result) -> str:
    """Coverage of the states: which were visited, and which were left."""
    report = result.report
    counted = "state" if report.states == 1 else "states"
    if result.task.settings.counting is Counting.UP_TO_SYMMETRY:
        counted += " up to symmetry"
    elif report.statistics.left_out:
        counted += " of a reduced search"
    if result.exhausted:
        every = "the only" if report.states == 1 else f"all {report.states:,}"
        return f"visited {every} {counted}, depth {report.depth}"
    if result.is_constrained:
        return (
            f"visited the {report.states:,} {counted} within the constraints, depth"
            f" {report.depth}; {constraints(result)}"
        )
    if not report.levels and result.problem:
        return "nothing is known of the states: the search failed"
    if not report.levels:
        why = "" if report.cut is None else f": {_reason(result)}"
        return f"visited no state{why}"
    left = (
        "; it is not expanded"
        if report.states == 1
        else f"; {result.unexpanded:,} of them, all at depth {report.depth}, are not"
        " expanded"
    )
    rest = f"visited {report.states:,} {counted}{left}"
    also = f"; {constraints(result)}" if result.cuts else ""
    return f"{rest}: {_reason(result)}{also}"


def _reason(result: Result) -> str:
    cut = result.report.cut
    if cut == INTERRUPTED:
        return "the search was interrupted"
    if cut == NOT_STARTED:
        return "the search was not started"
    if cut == "disk":
        return (
            "a limit on the disk, or a full disk, cut the search; free some, or raise"
            " --limit-disk"
        )
    if cut is not None:
        return f"the limit on {cut} cut the search"
    if result.report.verdict is Verdict.ERROR:
        return "a function of the model raised"
    if result.task.scenario.stop == "decided":
        return "every property was decided"
    return "a search ends with the level of its first violation"


def _about_reduction(result: Result) -> Iterator[str]:
    """Yield what the numbers of a reduced search mean."""
    task, report = result.task, result.report
    if report.statistics.left_out == 0:
        most = task.settings.reduce_beyond
        is_small = report.cut is None and report.states <= most
        yield (
            f"--reduce: no step is left out of a search of at most {most:,} states,"
            " which takes less time so (--reduce-beyond)"
            if is_small
            else "--reduce: too few steps can be left out, so none were"
        )
        return
    known = task.shipped.expect
    is_comparable = result.exhausted and task.void == ("--reduce",)
    if known is not None and known.states is not None and is_comparable:
        times = known.states / max(1, result.report.states)
        yield (
            f"--reduce: without it there are {known.states:,} states, {times:,.1f}"
            " times as many"
        )
    yield (
        "--reduce: counts of states, steps and guards are those of the reduced search,"
        " and a run is the shortest one that a bounded search finds"
    )


def not_judged(result: Result) -> Iterator[str]:
    """Yield what a search did not judge, lest a reader take it for judged."""
    task, report = result.task, result.report
    if report.levels and not report.outcomes:
        yield "nothing is claimed: no property was judged"
    is_own = bool(task.system.digest)
    is_whole = task.scenario.properties == task.shipped.properties
    if is_own and is_whole and task.system.run_claims and not task.judges_runs:
        names = ", ".join(task.system.run_claims_by_name)
        yield f"not judged without --livelocks: {names}"


def _about_runs(result: Result) -> Iterator[str]:
    """Yield what the graph of all states is like."""
    graph = result.report.statistics.liveness
    if graph is None:
        return
    edges = f"{graph.edges:,} steps that change the state"
    if graph.is_acyclic:
        yield f"no run takes steps for ever, since none leads back: {edges}"
        return
    loops = (
        f"{graph.loops:,} loop{'s' if graph.loops > 1 else ''}, of"
        f" {graph.looping:,} states, in which a fair run can"
        " stay for ever"
    )
    if graph.loops == 0:
        loops = "no loop in which a fair run can stay for ever"
    yield f"{loops}, among {edges}"


def _memory_beyond_the_budget(memory: MemoryUse | None) -> Iterator[str]:
    """Yield how much memory a search took that moved to the disk what it could."""
    if memory is None or not memory.on_disk:
        return
    own, budget = memory.own or 0, memory.budget or 0
    yield (
        f"{_megabytes(own)} of it are its own; the rest are files that the system takes"
        " out of memory when it needs to"
    )
    if own > budget:
        yield (
            f"that is more than the {_megabytes(budget)} that it may take: interpreter,"
            " code, learned tables and buffers cannot move to the disk"
        )


def _megabytes(size: float) -> str:
    return f"{size / 10**6:,.0f} MB"


def notes(result: Result) -> Iterator[str]:
    """Yield a note for everything else there is to know about a result."""
    report, task, statistics = result.report, result.task, result.report.statistics
    if task.system.reductions:
        yield f"reductions: {', '.join(task.scenario.reductions) or 'none'}"
    if task.settings.counting is Counting.REDUCED:
        yield from _about_reduction(result)
    if report.cut == NOT_STARTED:
        yield "not started: the run was interrupted before"
    yield from not_judged(result)
    if report.verdict is Verdict.INCOMPLETE and report.levels:
        yield "nothing was found so far, which does not mean that the properties hold"
    is_cut = report.verdict is Verdict.INCOMPLETE and report.cut is not None
    if is_cut and not statistics.left_out:
        # Imported only here: few searches are cut.
        from replicheck.cli.results.forecast import forecast_notes

        yield from forecast_notes(result)
    if result.exhausted and statistics.memory is not None:
        yield _cost(statistics, statistics.memory, report.states)
    yield from _memory_beyond_the_budget(statistics.memory)
    one_machine, many = statistics.breadth_first, statistics.partitioned
    if one_machine and report.cut == "memory":
        yield "--limit-memory SIZE gives a search more memory, also replicheck resume"
    if one_machine and one_machine.unkept and not result.is_cached:
        yield (
            "no checkpoint could be written, so the search went on in memory and cannot"
            f" be resumed: {one_machine.unkept}"
        )
    if one_machine:
        yield from slow_functions(one_machine.functions, report.generated, statistics)
    if many and many.unused is not None:
        yield f"Spark was not started: {many.unused}"
    if result.unsaved:
        yield f"not every trace could be saved: {result.unsaved}"
    if task.void:
        options = " and ".join(task.void)
        yield f"expectation skipped, since {options} changed the search"
    yield from _about_runs(result)
    undecided = result.with_outcome(Outcome.UNDECIDED)
    if undecided and report.levels:
        told = ", ".join(undecided)
        if len(undecided) > MOST_NAMED:
            known = len(report.outcomes)
            told = f"{len(undecided)} of {known} properties, named by --json"
        is_ended = report.verdict is Verdict.VIOLATED
        if is_ended and {*task.scenario.liveness} & {*undecided}:
            told += "; to judge claims about runs for ever, too, add --keep-going"
        yield f"undecided: {told}"
    declared = (*task.scenario.dead_actions, *task.scenario.unreached)
    if declared:
        yield f"expected unreached: {', '.join(declared)}"
    if result.vacuous:
        names = ", ".join(result.vacuous)
        yield f"vacuously true, since no state fulfils the premise: {names}"
    if result.is_cached:
        yield f"from the cache of an earlier run, which took {report.seconds:.1f} s"
    if result.together > 1:
        yield f"the same states were visited once for {result.together} entries"


def slow_functions(
    functions: Mapping[str, FunctionRuns], generated: int, statistics: Statistics
) -> Iterator[str]:
    """Yield which functions run in Python too often for a search of this size."""
    enough = 0 if generated >= ENOUGH_STEPS else ENOUGH_RUNS
    for name, effort in functions.items():
        if effort.runs > MOST_RUNS * generated and effort.runs >= enough:
            yield (
                f"slow: {name} ran {effort.runs:,} times in Python"
                f" ({effort.seconds:.1f} s) for {generated:,} steps"
                f"{_advice(name, effort, statistics)}"
            )


def _advice(function: str, effort: FunctionRuns, statistics: Statistics) -> str:
    """What a function runs so often for, and what helps."""
    if 2 * sum(effort.judged.values()) <= effort.reads:
        cell, values = _largest_cell(function, statistics)
        reads = effort.reads // max(1, effort.runs - effort.plain)
        if cell and reads >= MANY_READS and FEW_VALUES * values <= effort.runs:
            return (
                f", and got {reads} answers of cells each time, which together are"
                " nearly always new; let it read fewer cells, such as those of one"
                " node that is a parameter: see docs/known-limitations.md"
            )
        told = f", and reads {cell}, which had {values:,} values" if cell else ""
        return (
            f"{told}; let it ask smaller questions of"
            " cells, such as `item in cell`, and begin a loop over items with a test of"
            " the item: see docs/modelling.md"
        )
    judge = max(effort.judged, key=lambda name: effort.judged[name])
    return (
        f", in which most reads were of step properties, of {judge} above all; let it"
        " begin with `if after.x is before.x: return True`, where x is what it is"
        " about, and read few cells where x changed: see docs/determinism.md"
    )


def _largest_cell(function: str, statistics: Statistics) -> tuple[str, int]:
    """The cell with the most values among those that a function reads; "" if unknown.

    And how many values that has.
    """
    counts, known = statistics.values or {}, statistics.dependencies or {}
    cells = known.get(function, {}).get("reads", ())
    families = {cell.partition("[")[0] for cell in cells} & counts.keys()
    if not families:
        return "", 0
    largest = max(sorted(families), key=lambda family: counts[family])
    return largest, counts[largest]


def conclusion(
    result: Result, found: Sequence[Finding], failures: Sequence[Finding]
) -> str:
    """Words for whether a result is as it should be, given its findings.

    ``failures`` are those that are not accepted.
    """
    if failures:
        return f"exit {most_severe([finding.code for finding in failures]).value}"
    if found:
        return "accepted"
    return "as expected" if result.task.scenario.expect else "ok"


def _cost(statistics: Statistics, memory: MemoryUse, states: int) -> str:
    """Cost of a search, and how far its fingerprints can be trusted."""
    alike = f"hash-collision probability ≈ {statistics.collisions or 0:.0e}"
    if statistics.breadth_first and statistics.breadth_first.fingerprints == "exact":
        alike = "states compared whole"
    most = f"at most {_megabytes(memory.peak)} of memory"
    if memory.kept_per_state is None:
        most += " in a process"
    elif states >= MANY_STATES:
        most += f", {memory.kept_per_state:.0f} B/state"
    return f"{most}; {alike}"
