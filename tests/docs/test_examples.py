"""The examples: each is short, holds, and has a variant that does not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkout import ROOT
from replicheck.cli.main import main
from replicheck.invariants.catalogue.catalogue import Catalogue

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
STATES = {
    "election": "1,071",
    # 15 logs of at most 3 out of 2 records, for each of 3 replicas.
    "finite_replicated_log": "3,375",
    # 2 * 2 * 2 sets of readers, and 3 writers.
    "readers_writers": "11",
    "two_phase": "74",
}
VARIANTS = {
    "election": ("forgetful", "a_term_has_one_leader is violated after 8 states"),
    "readers_writers": ("hasty", "a_writer_is_alone is violated after 3 states"),
    "two_phase": ("impatient", "nobody_disagrees is violated after 7 states"),
}


@pytest.fixture(autouse=True)
def no_module_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Forget the examples after each test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for file in EXAMPLES:
        sys.modules.pop(file.stem, None)


def check(name: str, *options: str) -> Result:
    """Check an example."""
    file = str(ROOT / "examples" / f"{name}.py")
    return CliRunner().invoke(main, ["check", file, *options], obj=Catalogue.shipped())


def test_every_example_is_tested() -> None:
    """And has fewer than 120 lines."""
    assert {file.stem for file in EXAMPLES} == set(STATES)
    assert all(len(file.read_text("utf-8").splitlines()) < 120 for file in EXAMPLES)


@pytest.mark.parametrize("engine", ["breadth-first", "naive"])
@pytest.mark.parametrize("name", STATES)
def test_it_holds(name: str, engine: str) -> None:
    """The obvious engine and the fast one count the same states."""
    done = check(name, "--engine", engine)
    assert done.exit_code == 0, done.output
    assert f"holds: visited all {STATES[name]} states" in done.stdout


@pytest.mark.parametrize("name", VARIANTS)
def test_its_variant_is_violated(name: str) -> None:
    """By a shortest run of a known length."""
    variant, told = VARIANTS[name]
    done = check(name, "--protocol", variant)
    assert done.exit_code == 12
    assert told in done.stdout
