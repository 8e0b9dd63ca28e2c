"""A short check imports little: to import is most of what it takes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MOST_OWN_MODULES = 204
"""Modules of replicheck, packages included, that a check of one scenario imports."""
NEEDLESS = (
    "asyncio",
    "concurrent.futures",
    "difflib",
    "hypothesis",
    "importlib.metadata",
    "jinja2",
    "junitparser",
    "logging",
    "multiprocessing",
    "networkx",
    "numba",
    "psutil",
    "rich.live",
    "secrets",
    "traceback",
    "unittest",
    "werkzeug",
    "xxhash",
    "replicheck.cli.reports.html_report",
    "replicheck.cli.runs.trace_files",
    "replicheck.explorer.engines.breadth_first.checkpoint",
    "replicheck.explorer.engines.breadth_first.resumption",
    "replicheck.explorer.engines.partitioned",
    "replicheck.explorer.interpreter.stepper",
    "replicheck.invariants.catalogue.own.own_properties",
    "replicheck.invariants.catalogue.rules",
    "replicheck.invariants.describers.model_describer",
    "replicheck.model.cluster",
    "replicheck.model.fetching",
    "replicheck.traces.counterexample",
    "replicheck.traces.describer",
    "replicheck.traces.json_lines",
    "replicheck.traces.replay.avoidability",
)
"""Modules without which a check can end that finds nothing."""
CHECK = """
import json, sys
from replicheck.cli.program import main
sys.argv = ["replicheck", "check", "replication", "--bounds", "brokers=1", "--no-cache"]
try:
    main()
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted(sys.modules)]), file=sys.__stderr__)
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The modules that a check imports whose kernels are kept."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", CHECK],
            cwd=tmp_path_factory.mktemp("check"),
            check=True,
            capture_output=True,
            text=True,
        )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 10, "the bounds are too small for some witnesses, and all else holds"
    return frozenset(modules)


def test_a_check_imports_few_modules(imported: frozenset[str]) -> None:
    """Each takes a fraction of a millisecond, and its classes as much again."""
    own = [name for name in imported if name.partition(".")[0] == "replicheck"]
    assert len(own) <= MOST_OWN_MODULES


@pytest.mark.parametrize("name", NEEDLESS)
def test_a_check_does_not_import(name: str, imported: frozenset[str]) -> None:
    """What writes of a violation, and what other commands and engines need."""
    assert name not in imported
