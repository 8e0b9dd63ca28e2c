"""What actions read and write, as a search learns it and as `show` tells it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from xml.etree import ElementTree

import pytest
from attrs import evolve, frozen
from click.testing import CliRunner, Result

import toys
from command_line.messages import require_message
from replicheck.cli.main import main
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.learning.read_write_sets import matrix
from replicheck.explorer.properties import every_step
from replicheck.model.protocol import Protocol
from replicheck.model.state_base import Cells
from toys import Toy


@frozen
class Lamp:
    """A light with a switch."""

    is_on: bool = False

    def turn(self) -> Self:
        """Turn it on or off."""
        return evolve(self, is_on=not self.is_on)


@frozen
class House(Cells):
    """Two lamps, a number and a name."""

    lamps: tuple[Lamp, ...] = (Lamp(), Lamp())
    number: int = 0
    name: str = "a"


def turn(state: House) -> Iterator[House]:
    """Turn the first lamp if the second is off: an operation reads, too."""
    if not state.lamps[1].is_on:
        yield state.evolve(lamps={0: state.lamps[0].turn()})


def name_it(state: House) -> Iterator[House]:
    """Write a constant."""
    yield state.evolve(name="b")


def copy_the_number(state: House) -> Iterator[House]:
    """Never get to write what it would."""
    if state.number > 5:
        yield state.evolve(name="c")


def keeps_its_number(before: House, after: House) -> bool:
    """A step property, which reads for itself."""
    return before.number == after.number


EXPECTED: dict[str, Any] = {
    "turn": {"reads": ["lamps[0]", "lamps[1]"], "writes": ["lamps[0]"]},
    "name_it": {"reads": [], "writes": ["name"]},
    "copy_the_number": {"reads": ["number"], "writes": []},
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sample", [1, 64])
def test_a_report_has_what_actions_touch(threads: int, sample: int) -> None:
    """Every breadth-first report has it; what a step property reads is left out."""
    model = Toy((turn, name_it, copy_the_number), (House(),))
    engine = BreadthFirst(threads=threads, sample=sample)
    report = engine.explore(model, [every_step(keeps_its_number)])
    assert report.statistics.dependencies == EXPECTED


def test_the_matrix_has_families() -> None:
    """Cells of one family are one column."""
    assert matrix(EXPECTED) == {
        "turn": {"lamps[*]": "rw"},
        "name_it": {"name": "w"},
        "copy_the_number": {"number": "r"},
    }


def show(*arguments: str) -> Result:
    """Run `replicheck show` on the counter."""
    return CliRunner().invoke(
        main, ["show", "counter", *arguments], obj=toys.catalogue()
    )


def test_the_text() -> None:
    """One row for each action, also for one that is never enabled."""
    done = show("--dependencies", "--protocol", "dead", "--bounds", "limit=3")
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "counter, dead, limit=3\n"
        "\n"
        "                  value\n"
        "add                rw\n"
        "subtract_too_much   r\n"
        "\n"
        "r reads, w writes, rw both; an operation on a cell reads and writes it\n"
        "learned from all 4 states\n"
    )


def test_a_limit_is_told() -> None:
    """What was learned from some of the states is not said to be all."""
    done = show("--dependencies", "--limit-states", "2")
    assert done.exit_code == 0
    assert "learned from 3 states, not all" in done.stdout


def test_the_json() -> None:
    """Standard output has the document and nothing else."""
    done = show("--dependencies", "--json", "-")
    document = json.loads(done.stdout)
    assert document["dependencies"] == {
        "add": {"reads": ["value"], "writes": ["value"]}
    }
    assert document["exhausted"] is True
    assert document["bounds"] == {"limit": 5}


def test_the_picture(tmp_path: Path) -> None:
    """It is well-formed, and has every action, every family and every letter."""
    file = tmp_path / "matrix.svg"
    done = show("--dependencies", "--protocol", "dead", "--output", str(file))
    assert done.exit_code == 0, done.output
    texts = [element.text for element in ElementTree.parse(file).iter() if element.text]
    for text in ("add", "subtract_too_much", "value", "rw", "r"):
        assert text in texts


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--protocol", "up"), 2, "need --dependencies"),
        (("--dependencies", "--protocol", "upp"), 151, "up"),
        (("--dependencies", "--bounds", "limits=2"), 151, "limit"),
        (("--dependencies", "--output", "no/such/place.svg"), 2, "--output"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], code: int, message: str) -> None:
    """The message names what is wrong."""
    require_message(show(*arguments), code, message)


def count_wrongly(state: toys.Counter) -> Iterator[toys.Counter]:
    """Lead to what is no state."""
    yield state.value  # type: ignore[misc]


def test_a_model_that_breaks_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as `check` tells it."""
    broken = evolve(toys.COUNTERS, protocols=(Protocol("up", (count_wrongly,)),))
    monkeypatch.setattr(toys, "COUNTERS", broken)
    done = show("--dependencies")
    assert done.exit_code == 75
    assert "`count_wrongly` yields a" in done.stderr


def test_a_scenario_that_is_shipped() -> None:
    """The actions of the default protocol are all there."""
    done = CliRunner().invoke(
        main,
        [
            "show",
            "replication",
            "--dependencies",
            "--bounds",
            "brokers=2",
            "--json",
            "-",
        ],
    )
    found = json.loads(done.stdout)["dependencies"]
    assert found["fenced_fetch"]["reads"]
    assert all(read_write_sets["writes"] for read_write_sets in found.values())
