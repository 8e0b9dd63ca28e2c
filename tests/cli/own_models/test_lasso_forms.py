"""Runs for ever in each form: diagrams, pictures, the page, walks, pytest."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from selenium.webdriver.common.keys import Keys
from werkzeug.test import Client

from browser import Browser
from checkout import ROOT
from command_line.messages import require_message
from command_line.own_models import run
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.server import Application, serve
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue

LASSO = ("ask(r=0)", "send(r=0)", "lose(r=0)", "send(r=0)")
ENDS = ("ask(r=0)", "send_once(r=0)", "lose(r=0)")
BROKEN = "is_asked(r=0) leads to is_done(r=0)"
AGAIN = "for ever: state 5 is state 3 again"
STAYS = "stays in state 4 for ever"
HOST = {"base_url": "http://127.0.0.1:8080/"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _weak_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example without strong fairness, in the current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    text = (ROOT / "examples" / "lossy_link.py").read_text("utf-8")
    weak = text.replace("@model.strongly_fair\n", "")
    (tmp_path / "link.py").write_text(weak, "utf-8")
    yield
    sys.modules.pop("link", None)


def answers(protocol: str = "lossy-link") -> BrowserApi:
    """The answers on the link."""
    overrides = Overrides("breadth-first", protocol=protocol)
    (task,) = tasks(Catalogue.shipped(), ("link.py",), overrides)
    return BrowserApi.of(task)


def saved(steps: tuple[str, ...], protocol: str = "lossy-link") -> str:
    """The name of a file with a run."""
    Path("run.jsonl").write_text(answers(protocol).trace(steps), "utf-8")
    return "run.jsonl"


def shown(form: str, steps: tuple[str, ...] = LASSO, **protocol: str) -> str:
    """A run in a form."""
    words = ("trace", "show", saved(steps, **protocol), "--model", "link.py")
    done = run(*words, "--format", form)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("form", ["mermaid", "plantuml"])
def test_sequence_diagrams_have_a_loop(form: str) -> None:
    """From the first step that repeats to the last."""
    lines = [line.strip() for line in shown(form).splitlines()]
    begin, end = lines.index(f"loop {AGAIN}"), lines.index("end")
    inside = "\n".join(lines[begin:end])
    assert re.findall(r"(\d) (\w+)\(r=0\)", inside) == [("4", "lose"), ("5", "send")]
    assert begin > next(n for n, line in enumerate(lines) if "3 send(r=0)" in line)
    still = shown(form, ENDS, protocol="sends-once")
    assert STAYS in still
    assert "loop" not in still


def test_a_chain_of_states_leads_back() -> None:
    """From the last state to the one that it equals; to itself where the run stays."""
    assert f'  s5 -> s3 [label="{AGAIN}", style="dashed"' in shown("dot")
    still = shown("dot", ENDS, protocol="sends-once")
    assert f'  s4 -> s4 [label="{STAYS}", style="dashed"' in still


def test_a_picture_frames_what_repeats() -> None:
    """The rows of states 4 and 5 are in the frame, and an arrow leads back."""
    root = ElementTree.fromstring(shown("svg"))
    (frame,) = (g for g in root.iter(f"{SVG}g") if g.get("class") == "repetition")
    box = next(frame.iter(f"{SVG}rect"))
    top = int(box.attrib["y"])
    end = top + int(box.attrib["height"])
    rows = {
        (text.text or "").split()[0]: int(text.attrib["y"])
        for text in root.iter(f"{SVG}text")
        if text.get("class") == "label"
    }
    inside = [number for number, y in rows.items() if top < y < end]
    assert inside == ["4", "5"]
    assert [path.get("class") for path in frame.iter(f"{SVG}path")] == ["back"]
    assert AGAIN in shown("svg")
    still = shown("svg", ENDS, protocol="sends-once")
    assert STAYS in still
    assert 'class="repetition"' not in still


def test_a_regression_test_takes_the_loop_along() -> None:
    """So the run still violates what it was saved for."""
    text = shown("pytest")
    assert "    loop=2,\n" in text
    values: dict[str, Any] = {}
    exec(text, values)  # Our own text.
    assert values["HEADER"].loop == 2
    assert "assert found.ending is Ending.VIOLATES" in text
    (test,) = (value for name, value in values.items() if name.startswith("test_"))
    test()


def test_steps_are_grouped_within_the_loop_and_before_it() -> None:
    """So the run still comes back to where it was."""
    words = ("trace", "show", saved(LASSO), "--model", "link.py")
    done = run(*words, "--group-by-broker")
    assert done.exit_code == 0, done.output
    assert "State 5 is state 3 again" in done.stdout


def test_the_page_marks_what_repeats(browser: Browser, tmp_path: Path) -> None:
    """The arrow down goes round, and a button leads to where the loop begins."""
    page = tmp_path / "lasso.html"
    page.write_text(shown("html"), "utf-8")
    browser.open(page.as_uri())
    marked = [row.text.split()[0] for row in browser.all(".steps li[data-repeats]")]
    assert marked == ["4", "5"]
    assert len(browser.all(".way-back")) == 1
    assert browser.text("header .repeats") == f"↻ {AGAIN}"
    assert browser.text(".broken") == f"Broken by what is done for ever: {BROKEN}"
    assert "Then, at some time: A request is done." in browser.text(".verdict")
    assert browser.text("h2") == "5 of 5: send(r=0)"
    browser.press(Keys.ARROW_DOWN)
    assert browser.text("h2").startswith("4 of 5: lose")
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert browser.text("h2").startswith("4 of 5: lose")
    browser.all(".again button")[0].click()
    assert browser.text("h2") == "3 of 5: send(r=0)"
    assert browser.complaints() == []


def test_the_page_of_a_run_that_stays(browser: Browser, tmp_path: Path) -> None:
    """Its last state is marked, and no arrow leads anywhere."""
    page = tmp_path / "stays.html"
    page.write_text(shown("html", ENDS, protocol="sends-once"), "utf-8")
    browser.open(page.as_uri())
    marked = [row.text.split()[0] for row in browser.all(".steps li[data-repeats]")]
    assert marked == ["4"]
    assert not browser.all(".way-back")
    browser.press(Keys.ARROW_DOWN)
    assert browser.text("h2").startswith("4 of 4")


def test_the_page_of_another_run_repeats_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    """Neither marks nor a button."""
    page = tmp_path / "run.html"
    page.write_text(shown("html", LASSO[:2]), "utf-8")
    browser.open(page.as_uri())
    assert not browser.all("[data-repeats], .way-back, .again button")


def ending(steps: tuple[str, ...], protocol: str = "lossy-link") -> Any:
    """What is said of the end of a walk."""
    client = Client(Application(answers(protocol)))
    question = {"steps": steps, "at": 0}
    return client.post("/walk", json=question, **HOST).get_json()["ending"]


def test_a_walk_that_comes_back_is_judged() -> None:
    """By all claims of the model, and by fairness first."""
    found = ending(LASSO)
    assert (found["text"], found["leftOut"]) == (AGAIN, "")
    broken = {claim["property"] for claim in found["broken"]}
    assert broken == {"is_asked_leads_to_is_done", "nothing_is_on_its_way"}
    unfair = ending(LASSO[:2])
    assert (unfair["takesSteps"], unfair["broken"]) == (False, [])
    assert unfair["leftOut"] == "deliver(r=0)"
    still = ending(ENDS, "sends-once")
    assert (still["text"], still["takesSteps"]) == (STAYS, False)
    assert still["broken"][0]["instance"] == BROKEN
    assert not ending((), "sends-once")["broken"]


def test_a_walk_is_saved_with_its_loop() -> None:
    """And replayed as what it is."""
    head = json.loads(Path(saved(LASSO)).read_text("utf-8").partition("\n")[0])
    assert (head["loop"], head["kind"], head["instance"]) == (2, "leads_to", BROKEN)
    replayed = run("trace", "replay", "run.jsonl", "--model", "link.py")
    assert replayed.exit_code == 15
    assert "the run repeats from state 3 on" in replayed.stdout


def test_a_run_for_ever_is_not_explained() -> None:
    """It is said to be one, and not that it violates no longer."""
    done = run("trace", "explain", saved(LASSO), "--model", "link.py")
    require_message(done, 10, "it is a run for ever, and nothing is said of fairness")


def test_the_walk_on_the_page(browser: Browser) -> None:
    """The page says what a run for ever breaks, and marks it."""
    server = serve(Application(answers(), LASSO), 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        browser.open(f"http://127.0.0.1:{server.port}/")
        browser.wait_for(".verdicts .repeats", AGAIN)
        assert "A fair run can go on so." in browser.text(".verdicts")
        assert f"Broken: {BROKEN}" in browser.text(".verdicts .bad")
        assert len(browser.all(".way-back")) == 1
        browser.press(Keys.BACKSPACE)
        browser.wait_for("h2", "4 of 4: lose(r=0)")
        assert not browser.all(".way-back, .verdicts .repeats")
        assert browser.complaints() == []
    finally:
        server.shutdown()
        thread.join()
