"""Compare claims about runs for ever with Spin, instance by instance.

Each system is exported with `--format promela-liveness` and judged by `pan -a -f`, the
search for acceptance cycles under weak fairness of processes; the verdict has to be
that of `--livelocks`. Needs spin and gcc. A table in Markdown, one line for a system
under a protocol: instances that hold and that are violated, states, seconds of CPU.

    .venv/bin/python bench/spin_liveness.py
"""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from attrs import frozen

from replicheck.cli.commands.export import FORMATS
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, fairness_of
from replicheck.cli.tasks.run_properties import every_run_claim
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Limits, Search, Stop, unwatched
from replicheck.explorer.engines.liveness.graph_search import search_graph
from replicheck.explorer.liveness.claims import LivenessJudge, claim_instances
from replicheck.invariants.catalogue.catalogue import Catalogue

ROOT = Path(__file__).parents[1]
SYSTEMS = Path(__file__).parent / "systems"
SCENARIOS = (
    (SYSTEMS / "peterson.py", "peterson"),
    (SYSTEMS / "peterson.py", "takes-no-turns"),
    (SYSTEMS / "philosophers.py", "philosophers"),
    (SYSTEMS / "philosophers.py", "one-takes-right-first"),
    (SYSTEMS / "token_ring.py", "token-ring"),
    (SYSTEMS / "token_ring.py", "keeps"),
)
WEAK_LINK = "weak_link.py"
"""The example of a lossy link without strong fairness, which Spin does not know."""


@frozen
class Found:
    """For each instance of a claim whether it holds; states and seconds."""

    holds: dict[str, bool]
    states: int
    seconds: float


def by_replicheck(task: Task) -> Found:
    """Every instance of every claim, on the graph of all states."""
    started = time.process_time()
    model = task.model
    judged = [
        instance
        for claim in every_run_claim(task.system)
        for instance in claim_instances(claim, model.domains)
    ]
    parts = [part for one in judged for part in (one.condition, one.goal)]
    predicates = dict.fromkeys(part.function for part in parts if part is not None)
    search = Search(Limits(), Stop.EXHAUSTED)
    graph = search_graph(model, list(predicates), search, 1).graph
    assert graph is not None, "the search is not cut"
    fairness = fairness_of(task.system, task.scenario.protocol).of(graph.instances)
    judge = LivenessJudge.of(graph, fairness)
    holds = {instance.label: judge.lasso(instance) is None for instance in judged}
    return Found(holds, graph.count, time.process_time() - started)


def by_spin(task: Task, folder: Path) -> Found:
    """The same by Spin; states are those of the largest search."""
    text = FORMATS["promela-liveness"].export(task, 10**7, unwatched, "model.pml")
    (folder / "model.pml").write_text(text, "utf-8")
    commands = re.findall(r"^ \*     (spin|gcc|./pan) (.*)$", text, re.MULTILINE)
    for program, options in commands[:2]:
        _do(folder, program, *options.split())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    holds, states = [], 0
    for program, options in commands[2:]:
        said = _do(folder, program, *options.split())
        assert "max search depth too small" not in said
        assert "errors: 0" in said or "acceptance cycle" in said
        holds.append("errors: 0" in said)
        (stored,) = re.findall(r"(\d+) states, stored", said)
        states = max(states, int(stored))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    names = [
        instance.label
        for claim in every_run_claim(task.system)
        for instance in claim_instances(claim, task.model.domains)
    ]
    return Found(dict(zip(names, holds, strict=True)), states, seconds)


def _do(folder: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def agree(catalogue: Catalogue, name: str, protocol: str | None) -> bool:
    """Print a line of the table; tell whether both say the same of each instance."""
    (task,) = tasks(catalogue, (name,), Overrides(DEFAULT_ENGINE, protocol=protocol))
    own = by_replicheck(task)
    with tempfile.TemporaryDirectory() as folder:
        spin = by_spin(task, Path(folder))
    violated = sum(not holds for holds in own.holds.values())
    agrees = own.holds == spin.holds
    print(
        f"| {Path(name).stem} | `{task.scenario.protocol}` |"
        f" {len(own.holds) - violated} | {violated} | {own.states:,} |"
        f" {spin.states:,} | {own.seconds:.2f} | {spin.seconds:.2f} |"
        f"{'' if agrees else ' DISAGREE |'}",
        flush=True,
    )
    return agrees


def main() -> None:
    """Compare all systems."""
    print("| system | protocol | holds | violated | states | Spin | s of CPU | Spin |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    catalogue = Catalogue.shipped()
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / "examples" / "lossy_link.py").read_text("utf-8")
        link = Path(folder, WEAK_LINK)
        link.write_text(text.replace("@model.strongly_fair\n", ""), "utf-8")
        found = [
            agree(catalogue, str(name), protocol)
            for name, protocol in (
                (link, None),
                *SCENARIOS,
                ("deletion-ends-after-repair", None),
                ("deletion-ends-after-repair", "m-29-resume-no-deletion"),
            )
        ]
    if not all(found):
        raise SystemExit("Spin disagrees with replicheck")


if __name__ == "__main__":
    main()
