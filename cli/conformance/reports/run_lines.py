"""What a session of conformance found, as lines of text and as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from replicheck.cli.conformance.coverage import CoverageSummary
from replicheck.cli.conformance.findings import FindingRun, Harm
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.lockstep import Ending, RunOutcome
from replicheck.cli.conformance.mutant_walks import MutantWalks
from replicheck.cli.conformance.walks import CampaignReport
from replicheck.model.protocol import Protocol
from replicheck.traces.json_lines import Header

INDENT = " " * 6


def outcome_lines(name: str, outcome: RunOutcome, protocol: Protocol) -> Iterator[str]:
    """Lines for one run: how it ended and, if something differs, what."""
    count = len(outcome.steps)
    yield f"{outcome.ending.value:28} {count:4} steps  {name}"
    if outcome.ending in (Ending.DIFFERS, Ending.ERROR):
        yield from failure_lines(outcome, protocol)


def departure_line(header: Header, protocol: Protocol, number: int) -> str:
    """Line for a saved run that a protocol takes to other states than the file has."""
    return (
        f"{INDENT}not compared as it was saved: from state {number} of the file on"
        f" {protocol.name} comes to other states than {header.protocol}, of which the"
        f" run was saved; --protocol {header.protocol} compares these"
    )


def failure_lines(outcome: RunOutcome, protocol: Protocol) -> Iterator[str]:
    """Lines for a run in which something differs: its steps, then the cells."""
    yield ""
    for number, step in enumerate(outcome.steps, start=1):
        yield f"{number:4}  {step.label}"
    if outcome.steps:
        yield f"{INDENT}{place_of(protocol, outcome.steps[-1].action)}"
    if outcome.error is not None:
        yield f"{INDENT}Kafka did not take the step: {outcome.error}"
    width = max((len(d.cell) for d in outcome.differences), default=0)
    for difference in outcome.differences:
        yield f"{INDENT}{difference.cell:{width}}  model {difference.model}"
        yield f"{INDENT}{'':{width}}  Kafka {difference.kafka}"
    yield ""


def place_of(protocol: Protocol, action: str) -> str:
    """Where the model has an action, and what it is in Kafka."""
    function = next((a for a in protocol.actions if a.__name__ == action), None)
    if function is None:
        return action
    function = inspect.unwrap(function)
    code = function.__code__
    _, _, path = code.co_filename.rpartition("/model/")
    doc = inspect.getdoc(function) or ""
    source = " ".join(doc.partition("Source:")[2].split()).rstrip(".")
    return f"model/{path}:{code.co_firstlineno}  {source}"


def campaign_lines(found: CampaignReport, register: Register) -> Iterator[str]:
    """Lines for a campaign: how many walks, how they ended, and what was met."""
    rate = found.steps / found.seconds if found.seconds else 0
    yield (
        f"{found.walks:,} walks, {found.steps:,} steps in {found.seconds:.0f} s"
        f" ({rate:,.0f} steps/s)"
    )
    for ending, count in found.endings.items():
        yield f"{count:8,}  {ending.value}"
    yield from known_difference_lines(found.known, register)


def known_difference_lines(met: Mapping[str, int], register: Register) -> Iterator[str]:
    """Lines for the known differences that were met, each with its reason."""
    if met:
        yield "known differences:"
    for known in register.entries:
        if met.get(known.name):
            count = met[known.name]
            yield f"{count:8,}  {known.name} ({known.rule}; {known.effect.value})"
            yield f"{'':10}{known.reason}"


def coverage_lines(met: CoverageSummary) -> Iterator[str]:
    """Lines for what of the protocol was met by Kafka's own code."""
    actions, missed = met.actions, met.actions_not_met
    rules = len(met.rules) + len(met.rules_not_met)
    lines = met.lines + len(met.lines_not_met)
    yield ""
    yield (
        f"met in all: {len(actions) - len(missed)} of {len(actions)} actions,"
        f" {len(met.rules)} of {rules} rules, {met.pairs} pairs of actions,"
        f" {met.lines:,} of {lines:,} lines of the functions that ran"
    )
    if missed:
        yield f"{INDENT}actions not met: {', '.join(missed)}"
    if met.rules_not_met:
        yield f"{INDENT}rules not met: {', '.join(met.rules_not_met)}"


def mutant_line(found: MutantWalks) -> str:
    """Line for a mutant: whether walks told it apart, and by what."""
    verdict = "told apart" if found.is_killed else "not told apart"
    by = f"  {found.cells[0]}" if found.is_killed else ""
    return f"{verdict:14} {found.walks:4} walks  {found.mutant.name}{by}"


def kill_rate_line(found: Sequence[MutantWalks]) -> str:
    """Line for the share of mutants that were told apart, beside the properties'."""
    killed = [mutant for mutant in found if mutant.is_killed]
    violating = [mutant for mutant in found if mutant.mutant.violates]
    steps, seconds = sum(f.steps for f in found), sum(f.seconds for f in found)
    return (
        f"told apart by Kafka: {len(killed)} of {len(found)} mutants,"
        f" in {steps:,} steps and {seconds:.0f} s; caught by a property:"
        f" {len(violating)}"
    )


def harm_lines(finding: FindingRun, harm: Harm) -> Iterator[str]:
    """Lines for a finding: what was promised of records, and what is left of them."""
    yield f"{finding.name}: {finding.title}"
    yield f"      acknowledged with acks=all: {_records(harm.acknowledged)}"
    yield f"      read by a consumer: {_records(harm.consumed)}"
    for broker, records in harm.logs.items():
        yield f"      in the log of broker {broker} at the end: {_records(records)}"
    yield f"      acknowledged, and in no log any more: {_records(harm.lost)}"
    yield f"      read, and in no log any more: {_records(harm.vanished)}"
    if harm.returned:
        yield f"      read after it was deleted: {_records(harm.returned)}"
    if harm.rounds:
        yield f"      rounds that left the whole state as it was: {harm.rounds}"
    for difference in harm.differences:
        yield f"      {difference}"


def _records(records: Iterable[tuple[int, int]]) -> str:
    told = [f"record {record} of partition {p}" for p, record in sorted(records)]
    return ", ".join(told) or "none"


def harm_document(harm: Harm) -> dict[str, Any]:
    """A finding as JSON; a record is its partition and its id."""
    return {
        "acknowledged": sorted(harm.acknowledged),
        "consumed": sorted(harm.consumed),
        "logs": {str(b): sorted(records) for b, records in harm.logs.items()},
        "lost": sorted(harm.lost),
        "vanished": sorted(harm.vanished),
        "returned": sorted(harm.returned),
        "rounds": harm.rounds,
        "differences": [str(difference) for difference in harm.differences],
    }


def mutants_document(found: Sequence[MutantWalks]) -> dict[str, Any]:
    """Mutants as JSON, by name."""
    return {
        mutant.mutant.name: {
            "is_killed": mutant.is_killed,
            "walks": mutant.walks,
            "steps": mutant.steps,
            "seconds": round(mutant.seconds, 1),
            "cells": list(mutant.cells),
            "property": mutant.mutant.violates,
        }
        for mutant in found
    }


def run_document(name: str, outcome: RunOutcome) -> dict[str, Any]:
    """One run as JSON."""
    return {
        "run": name,
        "ending": outcome.ending.value,
        "steps": [step.label for step in outcome.steps],
        "differences": [
            {"cell": d.cell, "model": str(d.model), "kafka": str(d.kafka)}
            for d in outcome.differences
        ],
        "error": str(outcome.error) if outcome.error is not None else None,
    }


def campaign_document(found: CampaignReport) -> dict[str, Any]:
    """A campaign as JSON."""
    failure = found.failure
    return {
        "walks": found.walks,
        "steps": found.steps,
        "seconds": round(found.seconds, 1),
        "endings": {ending.value: count for ending, count in found.endings.items()},
        "known": dict(sorted(found.known.items())),
        "failure": run_document("walk", failure) if failure is not None else None,
    }


def coverage_document(met: CoverageSummary) -> dict[str, Any]:
    """What of the protocol was met, as JSON."""
    return {
        "actions": met.actions,
        "pairs": met.pairs,
        "rules": list(met.rules),
        "rules_not_met": list(met.rules_not_met),
        "lines": met.lines,
        "lines_not_met": list(met.lines_not_met),
    }
