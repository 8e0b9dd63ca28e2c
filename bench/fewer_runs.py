"""The cluster with fewer runs that show the same, or with more runs and fewer states.

`late_watches`, `late_copies` and the reduction of known answers have the arguments why
whatever a run of the model shows a run with fewer orders of steps shows, too;
`forgotten_watermarks` why no more is shown by the model than by a simpler one.
"""

from __future__ import annotations

from typing import Any

import attrs

from change_search import Shown
from forgotten_watermarks import (
    ASK_FOR_WATERMARKS,
    ASKING,
    SHOW_WATERMARKS,
    forgetting_watermarks,
    joining_no_isr,
)
from late_copies import shown_by_request, shown_with_late_copies, with_late_copies
from late_watches import with_late_watches
from observed_runs import nothing_in_place
from replicheck.cli.observations.observed_model import ObservedModel
from replicheck.cli.observations.observed_systems import ObservedSystem
from replicheck.explorer.engines.trace_validation.rest import Rest
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.explorer.model import Model
from replicheck.model.cluster.reductions.redundant_responses import without_known
from replicheck.model.protocol import Protocol


def with_fewer_runs(asked: ObservedModel) -> Shown:
    """The model of a file, as far as runs differ in what they show."""
    return _shown(asked, without_known(_protocol(asked)), _rest(asked))


def with_late_steps(asked: ObservedModel) -> Shown:
    """The same for a mutant that does not handle answers as Kafka does."""
    return _shown(asked, _protocol(asked), _rest(asked))


def with_simpler_runs(asked: ObservedModel) -> Shown:
    """The same; if nothing asks for high watermarks, without them and with more runs.

    What it cannot explain the model cannot explain. Without watermarks less is known of
    rest.
    """
    if can_forget_watermarks(asked):
        forgetting = forgetting_watermarks(_protocol(asked))
        return _shown(asked, without_known(forgetting), _rest_without_watermarks(asked))
    return with_fewer_runs(asked)


def can_forget_watermarks(asked: ObservedModel) -> bool:
    """Tell whether no observation depends on how high a watermark is."""
    if not asked.unobserved >= SHOW_WATERMARKS:
        return False
    return not any(asked.bounds[name] for name in ASK_FOR_WATERMARKS)


def _protocol(asked: ObservedModel) -> Protocol:
    return asked.system.protocols_by_name[asked.protocol]


def _rest(asked: ObservedModel) -> Rest:
    """Rest as of the model itself.

    What is left to come of a late watch is left where it was delivered, too: its event
    disables no step.
    """
    return Rest(asked.state_table(), asked.own)


def _rest_without_watermarks(asked: ObservedModel) -> Rest:
    """What is known of rest where watermarks are forgotten."""
    seen, model = asked.observed, _model(asked, joining_no_isr(_protocol(asked)))
    table = StateTable(model, seen.projection, seen.owed, seen.queued)
    return Rest(table, asked.own - ASKING)


def _shown(asked: ObservedModel, protocol: Protocol, rest: Rest) -> Shown:
    """What the model shows under a protocol, with fewer orders of steps."""
    reduced = with_late_copies(with_late_watches(protocol))
    original = _protocol(asked).original or _protocol(asked)
    observed = ObservedSystem.of(
        asked.system, reduced.mutating(original), asked.controllers, asked.unobserved
    )
    in_place = shown_by_request(observed.projection)
    if not observed.hidden.copies:
        in_place = nothing_in_place
    return Shown(
        _model(asked, reduced),
        shown_with_late_copies(observed.projection),
        observed.owed,
        observed.hidden,
        in_place,
        rest,
    )


def _model(asked: ObservedModel, protocol: Protocol) -> Model[Any]:
    """The model of a file, with another protocol."""
    model: Any = asked.model
    return attrs.evolve(
        asked.system.build(protocol, model.bounds),
        start=model.start,
    )
