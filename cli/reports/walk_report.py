"""What random walks of a task came to, for a person and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.version import VERSION
from replicheck.explorer.engines.simulation.simulation import Simulation

SCHEMA = 1


def told(outcome: WalkOutcome) -> Iterator[str]:
    """Yield what a person is told, line by line, but for the story."""
    yield f"{outcome.task.title}, seed {outcome.seed}"
    for key, text in outcome.extra.items():
        yield f"  {key}: {text}"
    for each in outcome.simulations:
        yield f"  {each.strategy}: {_extent(each, outcome.unit)}"
        yield f"      {_coverage(each)}"
    if outcome.violation is None and outcome.simulations[-1].failure is None:
        yield (
            f"  not refuted: no violation in these {outcome.unit}; that does not mean"
            " it holds"
        )
    counts = _together(outcome)
    yield "  steps by action"
    width = max(map(len, counts), default=0)
    for name, count in counts.items():
        yield f"      {name:{width}}  {count:>14,}"
    yield from _witnesses(outcome)


def _extent(each: Simulation[Any], unit: str) -> str:
    rate = each.steps / each.seconds if each.seconds else 0
    ended = f"ended by the limit on {each.cut}" if each.cut else "ended by a finding"
    if each.cut == "interrupted":
        ended = "interrupted"
    return (
        f"{each.walks:,} {unit}, {each.steps:,} steps in {each.seconds:.1f} s"
        f" ({rate:,.0f} a second), {ended}"
    )


def _coverage(each: Simulation[Any]) -> str:
    seen, about = each.seen, "" if each.seen.is_exact else "about "
    return (
        f"{about}{seen.distinct:,} distinct states, {seen.once:,} of them seen once;"
        f" by Good-Turing {seen.covered:.2%} of what such walks visit was seen; at"
        f" least {seen.at_least:,} states exist (Chao's estimate)"
    )


def _witnesses(outcome: WalkOutcome) -> Iterator[str]:
    reached = {name for each in outcome.simulations for name in each.reached}
    for name in outcome.task.scenario.witnesses:
        if name not in reached:
            yield f"  never seen: {name}"


def _together(outcome: WalkOutcome) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for each in outcome.simulations:
        for name, count in each.actions.items():
            counts[name] = counts.get(name, 0) + count
    return counts


def document(outcome: WalkOutcome) -> str:
    """Return the outcome as a JSON document."""
    scenario, violation = outcome.task.scenario, outcome.violation
    whole = {
        "schema": SCHEMA,
        "replicheck": VERSION,
        "exit_code": int(outcome.code),
        "scenario": scenario.name,
        "protocol": scenario.protocol,
        "merges": list(scenario.merges),
        "bounds": dict(scenario.bounds),
        "seed": outcome.seed,
        "verdict": "not refuted" if violation is None else "violated",
        "violation": violation
        and {
            "property": violation.property,
            "clause": violation.clause,
            "states": len(violation.trace.states),
            "walked": outcome.walked,
            "trace": str(outcome.file) if outcome.file else None,
        },
        **outcome.extra,
        "simulations": [_entry(each, outcome.unit) for each in outcome.simulations],
    }
    return json.dumps(whole, indent=2) + "\n"


def _entry(each: Simulation[Any], unit: str) -> dict[str, Any]:
    return {
        "strategy": each.strategy,
        unit: each.walks,
        "steps": each.steps,
        "seconds": round(each.seconds, 3),
        "cut": each.cut,
        "distinct": each.seen.distinct,
        "is_exact": each.seen.is_exact,
        "seen_once": each.seen.once,
        "covered": round(each.seen.covered, 6),
        "at_least": each.seen.at_least,
        "actions": dict(each.actions),
        "reached": sorted(each.reached),
        "failure": each.failure.message if each.failure else None,
    }
