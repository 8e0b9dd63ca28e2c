"""What random walks of a task came to, for a person and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.cli.results.violation_rate import most_frequent, rate_text
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.version import VERSION
from replicheck.explorer.engines.simulation.simulation_result import Simulation

SCHEMA = 1


def walk_report_lines(outcome: WalkOutcome) -> Iterator[str]:
    """Yield the report for a person, line by line, but for the run."""
    yield f"{outcome.task.title}, seed {outcome.seed}"
    for key, text in outcome.extra.items():
        yield f"  {key}: {text}"
    for simulation in outcome.simulations:
        yield f"  {simulation.strategy}: {_extent(simulation, outcome.unit)}"
        yield f"      {_coverage(simulation)}"
        if simulation.ended and not simulation.violations:
            yield f"      {rate_text(simulation.ended, outcome.unit)}"
    if outcome.violation is None and outcome.simulations[-1].failure is None:
        yield f"  {_nothing_found(outcome)}"
    for words in outcome.slow:
        yield f"  {words}"
    counts = _together(outcome)
    yield "  steps by action"
    width = max(map(len, counts), default=0)
    for name, count in counts.items():
        yield f"      {name:{width}}  {count:>14,}"
    yield from _witnesses(outcome)


def _nothing_found(outcome: WalkOutcome) -> str:
    """What it means that walks found nothing."""
    if any(simulation.has_walked for simulation in outcome.simulations):
        return (
            f"not refuted: no violation in these {outcome.unit}; that does not mean it"
            " holds"
        )
    if outcome.simulations[-1].cut == "memory":
        return (
            "nothing was tried: before the first step the process takes all the memory"
            " that it may take; give more with --limit-memory"
        )
    return (
        "nothing was tried: give more time, unless no action is enabled in"
        " the initial state"
    )


def _extent(simulation: Simulation[Any], unit: str) -> str:
    rate = simulation.steps / simulation.seconds if simulation.seconds else 0
    return (
        f"{simulation.walks:,} {unit}, {simulation.steps:,} steps in"
        f" {simulation.seconds:.1f} s ({rate:,.0f} a second), {_end(simulation)}"
    )


def _end(simulation: Simulation[Any]) -> str:
    match simulation.cut:
        case None:
            return "ended by a finding"
        case "interrupted":
            return "interrupted"
        case limit:
            return f"ended by the limit on {limit}"


def _coverage(simulation: Simulation[Any]) -> str:
    if not simulation.has_walked:
        return "no step was taken; nothing was seen but the start"
    seen, about = simulation.seen, "" if simulation.seen.is_exact else "about "
    return (
        f"{about}{seen.distinct:,} distinct states, {seen.once:,} of them seen once;"
        f" by Good-Turing {seen.covered:.2%} of what such walks visit was seen; at"
        f" least {seen.at_least:,} states exist (Chao's estimate)"
    )


def _witnesses(outcome: WalkOutcome) -> Iterator[str]:
    reached = {
        name for simulation in outcome.simulations for name in simulation.reached
    }
    for name in outcome.task.scenario.witnesses:
        if name not in reached:
            yield f"  never seen: {name}"


def _together(outcome: WalkOutcome) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for simulation in outcome.simulations:
        for name, count in simulation.actions.items():
            counts[name] = counts.get(name, 0) + count
    return counts


def document(outcome: WalkOutcome) -> str:
    """The outcome as a JSON document."""
    scenario, violation = outcome.task.scenario, outcome.violation
    whole = {
        "schema": SCHEMA,
        "replicheck": VERSION,
        "exit_code": int(outcome.code),
        "scenario": scenario.name,
        "protocol": scenario.protocol,
        "reductions": list(scenario.reductions),
        "bounds": dict(scenario.bounds),
        "seed": outcome.seed,
        "verdict": "not refuted" if violation is None else "violated",
        "violation": violation
        and {
            "property": violation.property,
            "instance": violation.instance,
            "states": len(violation.trace.states),
            "walked": outcome.walked,
            "trace": str(outcome.file) if outcome.file else None,
        },
        **outcome.extra,
        "simulations": [
            _entry(simulation, outcome.unit) for simulation in outcome.simulations
        ],
    }
    return json.dumps(whole, indent=2) + "\n"


def _entry(simulation: Simulation[Any], unit: str) -> dict[str, Any]:
    return {
        "strategy": simulation.strategy,
        unit: simulation.walks,
        "steps": simulation.steps,
        "seconds": round(simulation.seconds, 3),
        "cut": simulation.cut,
        "distinct": simulation.seen.distinct,
        "is_exact": simulation.seen.is_exact,
        "seen_once": simulation.seen.once,
        "covered": round(simulation.covered, 6),
        "at_least": simulation.seen.at_least,
        "actions": dict(simulation.actions),
        "violating_at_most": most_frequent(simulation.ended)
        if simulation.ended and not simulation.violations
        else None,
        "reached": sorted(simulation.reached),
        "failure": simulation.failure.message if simulation.failure else None,
    }
