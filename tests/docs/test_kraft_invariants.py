"""KRaft: the page's table of invariants is what properties and expectations say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import frozen

from replicheck.invariants.kraft.safety import SAFETY
from replicheck.invariants.kraft.steps import STEPS
from shipped import CATALOGUE

PAGE = (Path(__file__).parents[2] / "docs" / "kraft-coverage.md").read_text("utf-8")
DOCUMENT = {told.__name__: told.__doc__ or "" for told in (*SAFETY, *STEPS)}
NAME = re.compile(r"`([\w-]+)`")


@frozen
class InvariantRow:
    """A row of the table: an invariant, what tells of it, and what breaks it."""

    invariant: str
    properties: frozenset[str]
    status: str
    breakers: tuple[str, ...]


def rows() -> list[InvariantRow]:
    """The rows of the page."""
    return [
        InvariantRow(
            invariant,
            frozenset(NAME.findall(properties)),
            status,
            tuple(NAME.findall(breakers)),
        )
        for invariant, properties, status, breakers in re.findall(
            r"^\| (KINV-\d+) \| (.+) \| (yes|no) \| (.+) \|$", PAGE, re.M
        )
    ]


def broken_by(name: str) -> frozenset[str]:
    """The properties that a scenario of 4.1.1, or a mutant, is expected to break."""
    if name in CATALOGUE.scenarios:
        scenario = CATALOGUE.scenarios[name]
        assert scenario.protocol == "kafka-4.1.1"
        assert scenario.expect is not None
        return frozenset(scenario.expect.violations or ())
    return frozenset({CATALOGUE.mutants[name].violates or ""})


def test_there_is_a_row_for_each_of_the_19() -> None:
    """In their order."""
    assert [row.invariant for row in rows()] == [f"KINV-{n}" for n in range(1, 20)]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.invariant)
def test_a_property_tells_of_its_invariant(row: InvariantRow) -> None:
    """One of them has the id in its docstring."""
    told = " ".join(DOCUMENT[name] for name in row.properties)
    assert re.search(rf"{row.invariant}\b", told)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.invariant)
def test_each_name_in_a_row_breaks_one_of_its_properties(row: InvariantRow) -> None:
    """The suites and the museum of mutants run them."""
    for name in row.breakers:
        assert not row.properties.isdisjoint(broken_by(name)), name


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.invariant)
def test_an_invariant_is_broken_where_a_scenario_breaks_it(row: InvariantRow) -> None:
    """All of these are of Kafka 4.1.1; a mutant is not."""
    is_broken = any(name in CATALOGUE.scenarios for name in row.breakers)
    assert row.status == ("no" if is_broken else "yes")
