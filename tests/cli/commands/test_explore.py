"""``replicheck explore``: the questions of its page, who may ask, and the page."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from werkzeug.test import Client

from command_line.explore import answers_of
from replicheck.cli.main import main
from replicheck.cli.saved_traces.trace_reading import classes_of
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.server import Application
from replicheck.traces.json_lines import loads
from scenario_runs import BROKEN, KIP_101, run_of
from shipped import CATALOGUE

HOST = {"base_url": "http://127.0.0.1:8080/"}


KIP_101_OPTIONS = ("--protocol", "kip-101", "--bounds", "brokers=2")


@pytest.fixture(scope="module")
def kip_101() -> BrowserApi:
    """The answers on KIP-101 with two brokers."""
    return answers_of("replication", protocol="kip-101", bounds={"brokers": 2})


@pytest.fixture
def client(kip_101: BrowserApi) -> Client:
    """A client that asks as the page does."""
    return Client(Application(kip_101))


def ask(client: Client, path: str, question: object, **changed: Any) -> Any:
    """The response to a question."""
    return client.post(path, json=question, **{**HOST, **changed})


def test_the_choices_are_the_steps_of_the_model(client: Client) -> None:
    """Every choice can be taken, and where an action has several they are numbered."""
    steps: list[str] = []
    for _ in range(5):
        found = ask(client, "/walk", {"steps": steps, "at": 9}).get_json()
        assert found["at"] == len(steps) == len(found["run"]["steps"]) - 1
        steps.append(found["choices"][0]["name"])
    for number, step in enumerate(KIP_101):
        found = ask(client, "/walk", {"steps": KIP_101, "at": number}).get_json()
        assert step in [choice["name"] for choice in found["choices"]]


def test_what_is_true_is_told_of_each_state(client: Client) -> None:
    """The properties are judged where the walker stands, and a choice says its end."""
    before = ask(client, "/walk", {"steps": KIP_101, "at": 10}).get_json()
    after = ask(client, "/walk", {"steps": KIP_101, "at": 11}).get_json()
    told = [
        {verdict["property"] for verdict in found["verdicts"] if verdict["isBad"]}
        for found in (before, after)
    ]
    assert told[0] == set()
    assert BROKEN in told[1]
    breaking = {
        choice["name"]: choice["breaks"]
        for choice in before["choices"]
        if choice["breaks"]
    }
    assert BROKEN in breaking[KIP_101[-1]]


def test_a_search_from_a_state_finds_what_breaks(client: Client) -> None:
    """Each violation comes with the steps of a run that the page can walk."""
    found = ask(client, "/search", {"steps": KIP_101[:8], "at": 8}).get_json()
    (violation,) = [x for x in found["violations"] if x["property"] == BROKEN]
    assert violation["steps"][:8] == [*KIP_101[:8]]
    walked = ask(client, "/walk", {"steps": violation["steps"], "at": 99}).get_json()
    assert BROKEN in [x["property"] for x in walked["verdicts"] if x["isBad"]]


def test_an_end_is_a_deadlock_only_where_the_scenario_says_so(client: Client) -> None:
    """The page is told whether the scenario claims that some action is enabled."""
    found = ask(client, "/walk", {"steps": [], "at": 0}).get_json()
    assert found["claimsNoDeadlock"] is False


def test_a_run_becomes_a_trace_and_a_trace_a_run(client: Client) -> None:
    """What is copied can be opened, and names the property that it breaks."""
    text = ask(client, "/trace", {"steps": KIP_101}).get_data(as_text=True)
    saved = loads(text, partial(classes_of, CATALOGUE))
    assert saved.header.property == BROKEN
    assert len(saved.trace.states) == 12
    assert ask(client, "/open", {"text": text}).get_json() == {"steps": [*KIP_101]}


def test_a_run_of_the_cluster_is_opened() -> None:
    """A saved trace of a scenario that begins after a setup leads to its end."""
    saved = run_of("leader-disk-fails")
    answers = answers_of("leader-disk-fails")
    assert answers.stepper.start == saved.trace.states[1]


@pytest.mark.parametrize(
    ("path", "question", "status", "told"),
    [
        ("/walk", {"steps": ["fetch(leader=0, follower=1)"], "at": 1}, 422, "state 2"),
        ("/walk", {"steps": ["no such step"], "at": 1}, 422, "there is no"),
        ("/open", {"text": "no trace"}, 422, "line 1"),
        ("/open", {"text": ""}, 422, "empty"),
        ("/walk", {}, 400, "steps"),
        ("/walk", [], 400, "object"),
        ("/walk", {"steps": [], "at": -1}, 400, "at"),
        ("/walk", {"steps": [], "at": True}, 400, "at"),
        ("/walk", {"steps": [1], "at": 0}, 400, "steps"),
        ("/trace", {"steps": ["\ud800"]}, 400, "surrogate"),
        ("/open", {"text": None}, 400, "text"),
        ("/elsewhere", {}, 404, "not found"),
    ],
)
def test_a_wrong_question_gets_an_answer(
    client: Client, path: str, question: object, status: int, told: str
) -> None:
    """Whatever is wrong is told in words."""
    found = ask(client, path, question)
    assert found.status_code == status
    assert told in found.get_data(as_text=True)


@pytest.mark.parametrize(
    "asked",
    [
        {"base_url": "http://evil.example/"},
        {"base_url": "http://127.0.0.1.evil.example:8080/"},
        {"headers": {"Host": "127.0.0.1:8081"}},
        {"headers": {"Origin": "http://evil.example"}},
        {"headers": {"Origin": "http://127.0.0.1:8081"}},
        {"headers": {"Origin": "https://127.0.0.1:8080"}},
        {"headers": {"Origin": "null"}},
    ],
)
def test_strangers_are_refused(client: Client, asked: dict[str, Any]) -> None:
    """Neither a name that points here nor a page of another site gets an answer."""
    question = {"steps": [], "at": 0}
    assert ask(client, "/walk", question, **asked).status_code == 403


def test_the_own_page_may_ask(client: Client) -> None:
    """By number and by name, the page from here gets its answers."""
    for host in ("127.0.0.1:8080", "localhost:8080"):
        found = ask(
            client,
            "/walk",
            {"steps": [], "at": 0},
            base_url=f"http://{host}/",
            headers={"Origin": f"http://{host}"},
        )
        assert found.status_code == 200


def test_a_form_of_another_site_is_no_question(client: Client) -> None:
    """What a browser sends without asking first is refused."""
    found = client.post("/walk", data='{"steps": [], "at": 0}', **HOST)
    assert found.status_code == 415


def test_a_trace_of_another_scenario_is_refused(tmp_path: Path) -> None:
    """The message names the state from which the model does not have the run."""
    kip_101 = answers_of("replication", protocol="kip-101", bounds={"brokers": 2})
    path = tmp_path / "run.jsonl"
    path.write_text(kip_101.trace(KIP_101), "utf-8")
    done = CliRunner().invoke(main, ["explore", "replication", "--trace", str(path)])
    assert done.exit_code == 151
    assert "state 1: the run begins in another state" in done.stderr
    assert "--protocol" in done.stderr


def test_a_trace_alone_has_its_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scenario, protocol and bounds are those of the saved run."""
    served: list[Any] = []
    monkeypatch.setattr(
        "replicheck.cli.commands.explore._serve", lambda page, port: served.append(page)
    )
    words = ("check", "replication", *KIP_101_OPTIONS, "--traces", str(tmp_path))
    CliRunner().invoke(main, words)
    path = min(tmp_path.iterdir())
    done = CliRunner().invoke(main, ["explore", "--trace", str(path)])
    assert done.exit_code == 0, done.output
    assert len(served) == 1


def test_neither_a_scenario_nor_a_trace() -> None:
    """The message says what to name."""
    done = CliRunner().invoke(main, ["explore"])
    assert done.exit_code == 2
    assert "name a SCENARIO, or a saved trace with --trace" in done.stderr
