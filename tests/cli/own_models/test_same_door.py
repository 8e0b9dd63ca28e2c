"""Models that come with replicheck are of the class, and by the way, of own models."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from command_line.own_models import run
from replicheck.invariants.catalogue.own.model_loading import system_at
from replicheck.invariants.catalogue.own.module_loading import load_module
from replicheck.invariants.catalogue.own.offered_models import SHIPPED
from replicheck.modelling import Model
from shipped import SYSTEMS

pytestmark = pytest.mark.usefixtures("folder")
NOT_COMPARED = ("build", "describe")
"""Functions that are made anew each time."""


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_model_is_a_model_of_the_public_class(name: str) -> None:
    """Named by its module it is the same, with its describer, rules and mutations."""
    module, attribute = load_module(SHIPPED[name])
    assert type(getattr(module, attribute)) is Model
    found = system_at(SHIPPED[name], name)
    for field in attrs.fields(type(found)):
        if field.name not in NOT_COMPARED:
            assert getattr(found, field.name) == getattr(SYSTEMS[name], field.name)
    assert found.describer is SYSTEMS[name].describer


def test_it_has_the_same_states_by_either_name() -> None:
    """Reports differ in the name alone."""
    all_bounds = "brokers=2,records=1,epoch_bumps=1,controller_moves=1,lost_answers=1"
    bounds = ("--bounds", all_bounds, "--no-cache")
    told = [
        run("check", name, *bounds).stdout
        for name in ("alter-isr", SHIPPED["alter-isr"])
    ]
    counts = [text[text.index("visited all") :].split(",")[0] for text in told]
    assert counts[0] == counts[1]


MINE = '''
from attrs import evolve
from replicheck.invariants.alter_isr.describer import DESCRIBER
from replicheck.model.alter_isr.bounds import AlterIsrBounds
from replicheck.model.alter_isr.protocols import PROTOCOLS, alter_isr_model
from replicheck.model.alter_isr.state import Exchange
from replicheck.modelling import Model

model = Model("mine", AlterIsrBounds)
model.build_by(alter_isr_model, Exchange)
model.add_protocols(*PROTOCOLS)
model.describe_by(evolve(DESCRIBER, noun="node"))

@model.always
def nothing_is_in_flight(exchange: Exchange) -> bool:
    """No change is ever in flight."""
    return not exchange.partition.has_in_flight()

other = Model("other", AlterIsrBounds)
'''


def test_a_file_has_what_a_shipped_model_has() -> None:
    """A describer of its own, protocols of its own, instances that it makes."""
    Path("mine.py").write_text(MINE, "utf-8")
    done = run("check", "mine.py:model", "--no-cache")
    assert done.exit_code == 12, done.output
    assert "nothing_is_in_flight is violated" in done.stdout
    several = run("check", "mine.py")
    assert "has several models: name one of model, other" in several.stderr
