"""A validation as text."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.cli.observations.nearness_text import nearness_lines
from replicheck.cli.observations.validation import Validation
from replicheck.explorer.engines.trace_validation.explanation import (
    Explanation,
    ExplanationEnding,
    NearMiss,
)
from replicheck.explorer.engines.trace_validation.observations import (
    Label,
    Observation,
)

MOST_NEAR = 8
"""Steps that came close, of which a text names no more."""
MOST_DIFFERENCES = 2
HIDDEN = "."
SEEN = "*"


def summary_lines(found: Validation) -> Iterator[str]:
    """What a validation came to; where nothing explains, how far it got and why."""
    explanation = found.explanation
    run = explanation.trace
    hidden = sum(not seen for seen in explanation.matched)
    model = f"{found.system.name}, {found.protocol}"
    if explanation.ending is ExplanationEnding.EXPLAINED:
        yield (
            f"explained: a run of {model} shows all {explanation.observations}"
            f" observations in {len(run.steps)} steps, {hidden} of them hidden"
        )
        yield from _verdict_lines(found)
        if found.nearness is not None:
            yield from nearness_lines(found, found.nearness)
    else:
        yield _shortfall(explanation, model)
        yield (
            f"  the run that explains most has {len(run.steps)} steps and shows"
            f" {explanation.explained} of {explanation.observations} observations"
        )
    if found.left_out:
        kinds = ", ".join(found.left_out)
        yield (
            f"  {sum(found.left_out.values())} observations are not compared, since"
            f" {found.system.name} has no cell for them: {kinds}"
        )
    yield f"  within {_bounds_text(found)}"
    yield (
        f"  visited {explanation.nodes:,} pairs of a state and a position in the"
        f" streams, {explanation.seconds:.1f} s"
    )
    if explanation.ending is not ExplanationEnding.EXPLAINED:
        yield from _obstacle_lines(explanation)


def run_lines(explanation: Explanation) -> Iterator[str]:
    """Steps of the run: those that were seen with their lines, hidden ones apart."""
    steps = zip(explanation.trace.steps, explanation.matched, strict=True)
    for number, (step, observations) in enumerate(steps, 2):
        mark = SEEN if observations else HIDDEN
        yield f"{number:4} {mark} {step.label}"
        for observation in observations:
            yield f"           {observation_text(observation)}"


def observation_text(observation: Observation) -> str:
    """Where an observation was read, and what it says."""
    return f"{observation.source}: {_label_text(observation.label)}"


def _shortfall(explanation: Explanation, model: str) -> str:
    if explanation.ending is ExplanationEnding.NOT_EXPLAINED:
        return (
            f"not explained: no run of {model} within the bounds shows these"
            " observations; the search visited every possibility"
        )
    return (
        "undecided: a limit ended the search; that says neither that the observations"
        f" are explained by {model} nor that they are not"
    )


def _verdict_lines(found: Validation) -> Iterator[str]:
    if not found.broken:
        yield (
            f"  the run breaks none of {len(found.judged)} invariants and step"
            " properties; other runs may explain the same observations"
        )
    for broken in found.broken:
        name = broken.property.name
        yield f"  VIOLATED {name} in state {broken.state}: {broken.instance}"


def _bounds_text(found: Validation) -> str:
    return ", ".join(f"{name}={value}" for name, value in found.bounds.items() if value)


def _obstacle_lines(explanation: Explanation) -> Iterator[str]:
    if explanation.to_come:
        yield (
            "  the header says that observation ended at rest; after that run the"
            " system goes on by itself:"
        )
    for step in explanation.to_come:
        shown = "; ".join(f"{s}: {_label_text(label)}" for s, label in step.events)
        yield f"    {step.step} shows {shown or 'nothing'}"
    if not explanation.next:
        return
    yield "  next in each stream, after that run:"
    for observation in sorted(explanation.next, key=lambda seen: seen.begin):
        yield f"    {observation.stream}, {observation_text(observation)}"
    near = explanation.near
    if near:
        yield "  enabled steps that show something in these streams:"
    for miss in near[:MOST_NEAR]:
        yield f"    {miss.step} in {miss.observation.stream}: {_difference_text(miss)}"
    if len(near) > MOST_NEAR:
        yield f"    and {len(near) - MOST_NEAR} more"


def _difference_text(miss: NearMiss) -> str:
    if not miss.differences:
        return "matches, but the clocks refuse it, or it led nowhere"
    left = len(miss.differences) - MOST_DIFFERENCES
    text = "; ".join(miss.differences[:MOST_DIFFERENCES])
    return f"{text}; and {left} more differences" if left > 0 else text


def _label_text(label: Label) -> str:
    return _value_text(label, is_outermost=True)


def _value_text(value: object, *, is_outermost: bool = False) -> str:
    """JSON without quotes, for a person."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key} {_value_text(part)}" for key, part in value.items())
        return inside if is_outermost else f"({inside})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value_text, value))}]"
    if value is ...:
        return "left open"
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
