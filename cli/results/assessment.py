"""What about a result is not as it should be, and how severe that is."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.results.result import Result
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Outcome, Verdict
from replicheck.invariants.catalogue.scenario import Expectation, Names
from replicheck.traces.printable_text import printable_line
from replicheck.traces.run_text import states_text

CODES = {
    Kind.ALWAYS: ExitCode.INVARIANT,
    Kind.STEP: ExitCode.STEP_PROPERTY,
    Kind.DEADLOCK: ExitCode.DEADLOCK,
    Kind.LEADS_TO: ExitCode.LIVENESS,
    Kind.EVENTUALLY_ALWAYS: ExitCode.LIVENESS,
}


@frozen
class Finding:
    """One thing that is not as it should be."""

    code: ExitCode
    text: str


def findings(result: Result) -> list[Finding]:
    """Everything that is not as it should be, unfinished searches included."""
    found = (
        *_errors(result),
        *_violations(result),
        *_unmet(result),
        *_vacuity(result),
        *_incomplete(result),
    )
    # What a function of the model raised can have any text.
    return [evolve(finding, text=printable_line(finding.text)) for finding in found]


def _errors(result: Result) -> Iterator[Finding]:
    failure = result.report.failure
    if failure is not None:
        text = f"{failure.function} raised {failure.message}"
        if failure.place:
            text = f"{text} ({failure.place})"
        yield Finding(ExitCode.MODEL_ERROR, text)
    elif result.report.verdict is Verdict.ERROR:
        yield Finding(ExitCode.MODEL_ERROR, result.problem)


def _violations(result: Result) -> Iterator[Finding]:
    expect = _expectation(result)
    if expect.verdict == "violated" and not expect.violations:
        return
    expected = expect.violations
    for violation in result.report.violations:
        length = len(violation.trace.states)
        if violation.property not in expected:
            text = f"{violation.property} is violated after {states_text(length)}"
            yield Finding(CODES[violation.kind], text)
        elif expected[violation.property] != length:
            yield Finding(
                ExitCode.EXPECTATION,
                f"{violation.property} is violated after {states_text(length)},"
                f" expected {expected[violation.property]}",
            )


def _unmet(result: Result) -> Iterator[Finding]:
    expect, report = _expectation(result), result.report
    if report.verdict is Verdict.ERROR:
        return
    for name, length in expect.violations.items():
        text = f"{name} is not violated, expected a run of {states_text(length)}"
        match report.outcomes[name]:
            case Outcome.HOLDS:
                yield Finding(ExitCode.EXPECTATION, text)
            case Outcome.UNDECIDED if report.cut is None and not result.is_constrained:
                ended = "the search ended with the first violation; keep going"
                yield Finding(ExitCode.EXPECTATION, f"{text}: {ended}")
    if expect.verdict == "violated" and report.verdict is Verdict.HOLDS:
        yield Finding(ExitCode.EXPECTATION, "nothing is violated, expected a violation")
    is_cut = report.cut is not None or result.is_constrained
    if expect.verdict == "incomplete" and not is_cut:
        verdict = report.verdict.value
        text = f"the search is complete ({verdict}), expected that something cuts it"
        yield Finding(ExitCode.EXPECTATION, text)
    if report.cut is None:
        for what, found, number in (
            ("states", report.states, expect.states),
            ("depth", report.depth, expect.depth),
        ):
            if number is not None and found != number:
                text = f"{what}: {found:,}, expected {number:,}"
                yield Finding(ExitCode.EXPECTATION, text)


def _vacuity(result: Result) -> Iterator[Finding]:
    """Yield a finding for what a search of all states never saw, but was to see."""
    if not result.exhausted:
        return
    scenario = result.task.scenario
    system = result.task.system
    spared = system.spared_by(scenario.reductions)
    unreduced = system.unreduced_names(scenario.protocol, scenario.reductions)
    unreached = result.with_outcome(Outcome.UNREACHED)
    for what, never, declared, key in (
        ("no state is a witness of", unreached, scenario.unreached, "unreached"),
        (
            "no state enables the action",
            [unreduced.get(name, name) for name in result.dead_actions],
            [unreduced.get(name, name) for name in scenario.dead_actions],
            "dead_actions",
        ),
        *_premises(result),
    ):
        for name in never:
            if name not in declared and name not in spared:
                yield Finding(
                    ExitCode.EXPECTATION,
                    f"{what} {name}: the bounds are too small to show anything, or"
                    f' declare it: {key} = ["{name}"]',
                )
        for name in declared:
            if name not in never and not result.task.void:
                text = f"{name} is declared in `{key}`, but it was seen"
                yield Finding(ExitCode.EXPECTATION, text)


def _premises(result: Result) -> Iterator[tuple[str, list[str], Names, str]]:
    """Yield the premises that never held, if the scenario says which may not."""
    scenario = result.task.scenario
    coverage = result.report.statistics.coverage
    if scenario.vacuous is None or coverage is None:
        return
    premises = coverage.premises
    beyond = result.task.system.out_of_reach(scenario.bounds)
    declared = (
        *scenario.vacuous,
        *(name for name in beyond if name in premises),
    )
    yield "nothing fulfils the premise of", result.vacuous, declared, "vacuous"


def _incomplete(result: Result) -> Iterator[Finding]:
    cut = constraints(result) if result.is_constrained else result.report.cut
    if cut is None:
        return
    is_expected = _expectation(result).verdict == "incomplete"
    if result.was_interrupted or not is_expected:
        yield Finding(ExitCode.INCOMPLETE, f"the search is incomplete ({cut})")


def constraints(result: Result) -> str:
    """Constraints of the model, and what they left out."""
    return ", ".join(
        f"{name} keeps {count:,} state{'s' * (count > 1)} from being expanded"
        for name, count in result.cuts.items()
    )


def _expectation(result: Result) -> Expectation:
    return result.task.scenario.expect or Expectation("holds")
