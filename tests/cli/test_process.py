"""The installed command in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from command_line.processes import interrupted, run
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE
from shipped import CATALOGUE


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    """Ctrl-C ends the search; the result is incomplete, the JSON report written."""
    code, out, err = interrupted(
        ["check", "replication", "--engine", "naive", "--json", "report.json"], tmp_path
    )
    assert code == 77
    assert "the search was interrupted" in out
    assert "Traceback" not in out + err
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["results"][0]["verdict"] == "incomplete"
    assert report["results"][0]["cut"] == "interrupted"


def test_ctrl_c_is_never_accepted(tmp_path: Path) -> None:
    """To accept what a limit cut is not to accept Ctrl-C; the rest is not started.

    The numbers of the total add up to the entries of the suite.
    """
    code, out, _ = interrupted(
        ["check", "--engine", "naive", "--accept-incomplete"], tmp_path
    )
    assert code == 77
    *_, total = (line for line in out.splitlines() if "; exit code 77; " in line)
    kinds = re.findall(r"(\d+) (failed|interrupted|not started|passed)", total)
    assert ("1", "interrupted") in kinds, total
    entries = CATALOGUE.suites[DEFAULT_SUITE].scenarios
    assert sum(int(count) for count, _ in kinds) == len(entries)


def test_a_real_counterexample(tmp_path: Path) -> None:
    """The installed command finds the flaw of KIP-101 and saves the run to it."""
    bounds = "brokers=2,log_size=2,records=2,max_leader_epoch=2"
    done = run(
        ["check", "replication", "--protocol", "kip-101", "--bounds", bounds], tmp_path
    )
    assert done.returncode == 12
    assert "the shortest run has 12 states" in done.stdout
    assert len(list((tmp_path / "counterexamples").iterdir())) == 2


def test_help_and_naive_runs_do_not_compile(tmp_path: Path) -> None:
    """Neither needs the compiler, whose import takes a second."""
    code = (
        "import sys; from replicheck.cli.main import main\n"
        "try: main(['check', 'replication', '--engine', 'naive', '--bounds',"
        " 'brokers=1'])\n"
        "except SystemExit: pass\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
