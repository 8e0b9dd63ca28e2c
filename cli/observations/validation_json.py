"""A validation as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from replicheck.cli.observations.validation import Validation
from replicheck.cli.observations.validation_text import observation_text
from replicheck.cli.version import VERSION
from replicheck.explorer.engines.trace_validation.nearness import Nearness

SCHEMA = 1


def document(found: Iterable[tuple[str, Validation]]) -> str:
    """The answers for some files, each with its place, as the text of a JSON file."""
    files = [{"file": place, **_answer(validation)} for place, validation in found]
    whole = {"schema": SCHEMA, "replicheck": VERSION, "files": files}
    return json.dumps(whole, indent=2) + "\n"


def _answer(found: Validation) -> dict[str, Any]:
    run = found.explanation
    near = found.nearness
    return {
        "answer": run.ending.value,
        "model": found.system.name,
        "protocol": found.protocol,
        "bounds": dict(found.bounds),
        "observations": run.observations,
        "explained": run.explained,
        "nodes": run.nodes,
        "steps": [
            {"step": step.label, "observations": [*map(observation_text, seen)]}
            for step, seen in zip(run.trace.steps, run.matched, strict=True)
        ],
        "next": [
            {"stream": seen.stream, "observation": observation_text(seen)}
            for seen in run.next
        ],
        "to_come": [step.step for step in run.to_come],
        "judged": [claim.name for claim in found.judged],
        "out_of_reach": list(found.out_of_reach),
        "broken": [
            {
                "property": broken.property.name,
                "instance": broken.instance,
                "state": broken.state,
            }
            for broken in found.broken
        ],
        "near": None if near is None else _near(near),
    }


def _near(near: Nearness) -> Mapping[str, Any]:
    return {
        "asked_steps": near.asked,
        "searched_steps": near.searched,
        "searched_all": near.is_all,
        "states": near.states,
        "violations": [
            {
                "property": found.violation.property,
                "instance": found.violation.instance,
                "state": found.state,
                "steps": [step.label for step in found.violation.trace.steps],
            }
            for found in near.violations
        ],
    }
