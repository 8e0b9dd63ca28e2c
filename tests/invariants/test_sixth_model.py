"""Another model: two folders and a reference to it, and every command knows it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import replicheck.invariants
import replicheck.model
from replicheck.cli.main import main
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.own import offered_models
from replicheck.invariants.catalogue.own.offered_models import SHIPPED

FILES = {
    "model/turnstile/state.py": """
from collections.abc import Iterator
from attrs import evolve, field, frozen
from attrs.validators import ge
from replicheck.model.protocol import Protocol, ProtocolModel
from replicheck.model.state_base import Cells

@frozen
class Bounds:
    coins: int = field(default=2, validator=ge(0))

@frozen
class Turnstile(Cells):
    bounds: Bounds = field(eq=False)
    paid: int = 0
    passed: int = 0

def pay(turnstile: Turnstile) -> Iterator[Turnstile]:
    if turnstile.paid < turnstile.bounds.coins:
        yield turnstile.evolve(paid=turnstile.paid + 1)

def walk_through(turnstile: Turnstile) -> Iterator[Turnstile]:
    if turnstile.passed < turnstile.paid:
        yield turnstile.evolve(passed=turnstile.passed + 1)

def jump_over(turnstile: Turnstile) -> Iterator[Turnstile]:
    if turnstile.passed < turnstile.bounds.coins:
        yield turnstile.evolve(passed=turnstile.passed + 1)

LOCKED = Protocol("locked", (pay, walk_through))
OPEN = LOCKED.replacing(walk_through, by=jump_over).named("open").mutating(LOCKED)

def within(protocol, bounds):
    return ProtocolModel("turnstile", protocol, bounds, Turnstile, domains={})
""",
    "invariants/turnstile/system.py": """
from replicheck.invariants.describers.model_describer import ModelDescriber
from replicheck.modelling import Model
from replicheck.model.turnstile.state import LOCKED, OPEN, Bounds, Turnstile, within

def every_passage_is_paid(turnstile: Turnstile) -> bool:
    \"\"\"Who passes has paid.\"\"\"
    return turnstile.passed <= turnstile.paid

MODEL = Model("turnstile", Bounds)
MODEL.build_by(within, Turnstile)
MODEL.add_protocols(LOCKED)
MODEL.add_mutations(OPEN)
MODEL.claim([every_passage_is_paid])
MODEL.describe_by(ModelDescriber())
""",
    "invariants/turnstile/scenarios/turnstile.toml": """
summary = "A turnstile counts coins."
model = "turnstile"
protocol = "locked"
invariants = ["every_passage_is_paid"]
expect = { verdict = "holds" }
vacuous = []
""",
    "invariants/turnstile/mutants.toml": """
system = "turnstile"

[[mutant]]
name = "open"
rule = "Who passes has paid."
violates = "every_passage_is_paid"
length = 2
""",
}

TURNSTILE = "replicheck.invariants.turnstile.system:MODEL"


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogue]:
    """Add two folders to those of the models, and a reference to those of models."""
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    for package, folder in (
        (replicheck.model, "model"),
        (replicheck.invariants, "invariants"),
    ):
        (tmp_path / folder / "turnstile" / "__init__.py").touch()
        path = [*package.__path__, str(tmp_path / folder)]
        monkeypatch.setattr(package, "__path__", path)
    monkeypatch.chdir(tmp_path)
    yield Catalogue.of({**SHIPPED, "turnstile": TURNSTILE})
    for module in [name for name in sys.modules if ".turnstile" in name]:
        del sys.modules[module]


def run(catalogue: Catalogue, *arguments: str) -> Result:
    """Run a command with all models."""
    return CliRunner().invoke(main, arguments, obj=catalogue)


def test_it_is_checked_beside_the_others(catalogue: Catalogue) -> None:
    """Its scenario is listed and holds, and the six models are in their order."""
    assert [*catalogue.systems] == [*SHIPPED, "turnstile"]
    assert "turnstile" in run(catalogue, "list").stdout
    done = run(catalogue, "check", "turnstile")
    assert (done.exit_code, "holds: visited all 6 states" in done.stdout) == (0, True)


def test_its_mutant_is_killed_and_its_trace_replayed(catalogue: Catalogue) -> None:
    """The saved run names its classes by the model, and is read again."""
    assert run(catalogue, "mutants", "open").exit_code == 0
    done = run(catalogue, "check", "open", "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = result["violations"][0]["file"]
    assert '"$class":"turnstile:Turnstile"' in Path(file).read_text("utf-8")
    assert "still violates" in run(catalogue, "trace", "replay", file).stdout


def test_an_installed_package_brings_all_of_it_by_an_entry_point(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scenarios and mutants are files beside its module, as of shipped models."""
    del catalogue
    monkeypatch.setattr(offered_models, "installed", lambda: {"turnstile": TURNSTILE})
    shipped = Catalogue.shipped()
    done = run(shipped, "check", "turnstile", "--no-cache")
    assert (done.exit_code, "holds: visited all 6 states" in done.stdout) == (0, True)
    assert run(shipped, "mutants", "open").exit_code == 0
    assert "open" in run(shipped, "list", "turnstile").stdout
