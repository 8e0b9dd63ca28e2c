"""Models that come with replicheck are what a file of a user's own may have, too."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from command_line.own_models import run
from replicheck.invariants.catalogue.own.own_models import own_system
from replicheck.invariants.catalogue.systems import SYSTEMS, package_of

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_shipped_model_comes_in_by_the_door_of_own_models(name: str) -> None:
    """Named by its module it is the same, with its describer, rules and mutations."""
    reference = f"{package_of(name)}.system:SYSTEM"
    found = attrs.evolve(own_system(reference), name=name, digest="")
    assert found == SYSTEMS[name]


def test_it_has_the_same_states_by_either_name() -> None:
    """Reports differ in the name alone."""
    all_bounds = "brokers=2,records=1,epoch_bumps=1,controller_moves=1,lost_answers=1"
    bounds = ("--bounds", all_bounds, "--no-cache")
    reference = f"{package_of('alter-isr')}.system:SYSTEM"
    told = [run("check", name, *bounds).stdout for name in ("alter-isr", reference)]
    counts = [text[text.index("visited all") :].split(",")[0] for text in told]
    assert counts[0] == counts[1]


MINE = '''
from attrs import evolve
from replicheck.invariants.alter_isr.describer import DESCRIBER
from replicheck.invariants.alter_isr.system import SYSTEM
from replicheck.model.alter_isr.state import Exchange

def nothing_is_in_flight(exchange: Exchange) -> bool:
    """No change is ever in flight."""
    return not exchange.partition.has_in_flight()

MINE = evolve(
    SYSTEM,
    invariants=(nothing_is_in_flight,),
    steps=(),
    witnesses=(),
    describe=lambda: evolve(DESCRIBER, noun="node"),
)
'''


def test_a_file_has_a_system_with_a_describer_of_its_own() -> None:
    """As shipped models have one; it shows in the story."""
    Path("mine.py").write_text(MINE, "utf-8")
    done = run("check", "mine.py:MINE", "--no-cache")
    assert done.exit_code == 12, done.output
    assert "nothing_is_in_flight is violated" in done.stdout
    several = run("check", "mine.py")
    assert "has several models: name one of SYSTEM, MINE" in several.stderr
