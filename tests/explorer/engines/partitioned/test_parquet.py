"""The reachable states as Parquet answer questions that no invariant asks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from checkout import DOCS
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.instances import instances
from shipped import CATALOGUE
from slow import by_night

pytest.importorskip("pyarrow", reason="needs pip install 'replicheck[spark]'")
pytest.importorskip("pyspark", reason="needs pip install 'replicheck[spark]'")

from pyspark.sql import SparkSession

from replicheck.explorer.engines.partitioned.spark import session

BOUNDS = {"brokers": 3, "log_size": 1, "records": 1, "max_leader_epoch": 2}
PAGE = DOCS / "partitioned.md"
SEARCH = Search(stop=Stop.DECIDED)


@pytest.fixture(scope="module")
def task() -> Task:
    """A search of some tens of thousands of states."""
    choices = Overrides("spark", "kip-320", BOUNDS)
    (found,) = tasks(CATALOGUE, ("replication",), choices)
    return found


def two_believe_to_lead(state: Any) -> bool:
    """Tell whether two brokers both believe to lead."""
    replicas: Any = state.replicas
    leaders = [b for b, replica in enumerate(replicas) if replica.leader == b]
    return len(leaders) >= 2


def reachable(task: Task) -> list[Any]:
    """Every reachable state, found by plain Python."""
    seen = dict.fromkeys(task.model.initial_states())
    waiting = list(seen)
    actions = instances(task.model.actions, task.model.domains)
    while waiting:
        state = waiting.pop()
        for action in actions:
            for after in action(state):
                if after not in seen:
                    seen[after] = None
                    waiting.append(after)
    return list(seen)


@pytest.mark.parametrize(("most", "is_complete"), [(None, True), (50, False)])
def test_whether_the_states_are_all_is_said_beside_them(
    tmp_path: Path, most: int | None, is_complete: bool
) -> None:
    """With how many there are."""
    bounds = {**BOUNDS, "max_leader_epoch": 0}
    (task,) = tasks(CATALOGUE, ("replication",), Overrides("spark", bounds=bounds))
    engine = Partitioned(
        buckets=3, cluster=in_process(2), small=100, states=str(tmp_path)
    )
    search = Search(Limits(states=most), Stop.EXHAUSTED)
    report = engine.explore(task.model, task.properties, search)
    told = json.loads((tmp_path / "coverage.json").read_text())
    assert told == {
        "is_complete": is_complete,
        "states": report.states,
        "levels": report.depth,
    }


@pytest.mark.slow
@by_night
def test_the_question_of_the_documentation(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many reachable states have two brokers that both believe to lead?"""
    monkeypatch.setenv(
        "PYSPARK_SUBMIT_ARGS", "--conf spark.ui.enabled=false pyspark-shell"
    )
    monkeypatch.chdir(tmp_path)
    engine = Partitioned(
        buckets=3, cluster=in_process(2), small=100, states=str(tmp_path / "reachable")
    )
    report = engine.explore(task.model, task.properties, SEARCH)
    states = reachable(task)
    assert report.states == len(states)
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    query = query.replace("`reachable/", f"`{tmp_path}/reachable/")
    context = session.begin("local[2]")
    try:
        spark = SparkSession(context)
        *views, question = [
            statement for statement in query.split(";") if statement.strip()
        ]
        for view in views:
            spark.sql(view)
        (row,) = spark.sql(question).collect()
        assert row[0] == sum(map(two_believe_to_lead, states))
        assert spark.sql("SELECT count(*) FROM states").collect()[0][0] == len(states)
    finally:
        context.stop()
    with pytest.raises(CheckpointError, match="already holds the states"):
        engine.explore(task.model, task.properties, SEARCH)
