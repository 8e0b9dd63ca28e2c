"""Says anew, in each shipped scenario that holds, which of its claims say nothing.

``python bench/vacuous.py [SCENARIO ...]`` searches the scenarios that have the key
``vacuous``, and writes that key with what the search has found. Run it when a property
is new, and look at what differs: a claim that says nothing anywhere is none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.catalogue import Catalogue

INVARIANTS = Path(__file__).resolve().parent.parent / "invariants"
KEY = re.compile(r"^vacuous = \[.*?\]\n", re.DOTALL | re.MULTILINE)


def found(catalogue: Catalogue, name: str) -> list[str]:
    """The claims of a scenario whose premise nothing fulfils.

    What its bounds rule out is not among them.
    """
    (task,) = tasks(catalogue, [name], Overrides("breadth-first"))
    report = BreadthFirst().explore(
        task.model, task.properties, task.search(lambda progress: None)
    )
    if report.verdict is not Verdict.HOLDS:
        raise SystemExit(f"{name}: {report.verdict.value}, expected that it holds")
    coverage = report.statistics.coverage
    assert coverage is not None
    beyond = task.system.out_of_reach(task.scenario.bounds)
    premises = coverage.premises.items()
    return [claim for claim, held in premises if not held and claim not in beyond]


def written(claims: list[str]) -> str:
    """The key as it stands in a file."""
    lines = "".join(f'    "{each}",\n' for each in claims)
    return f"vacuous = [\n{lines}]\n" if claims else "vacuous = []\n"


def main(names: list[str]) -> None:
    """Search, and write what differs."""
    catalogue = Catalogue.shipped()
    for name, scenario in catalogue.scenarios.items():
        if scenario.vacuous is None or (names and name not in names):
            continue
        (file,) = INVARIANTS.glob(f"*/scenarios/{name}.toml")
        before = file.read_text("utf-8")
        after = KEY.sub(written(found(catalogue, name)), before, count=1)
        print(f"{name}: {'as it was' if after == before else 'written'}", flush=True)
        file.write_text(after, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
