"""The page of a trace in a browser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attrs import evolve
from selenium.webdriver.common.keys import Keys

from browser import Browser
from replicheck.cli.pages.glossary import glossary_of
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import replication_model
from replicheck.traces.html.page import trace_page
from replicheck.traces.json_lines import Header, SavedTrace
from scenario_runs import BROKEN, KIP_101, run_of
from shipped import SYSTEMS

WIDEST = """
const inside = document.querySelectorAll("main, .sequence, .right");
return [document.documentElement, ...inside]
    .map((each) => each.scrollWidth - each.clientWidth)
"""
BACKGROUND = "return getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def cluster_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with a run of the whole cluster, 40 states long."""
    path = tmp_path_factory.mktemp("pages") / "cluster.html"
    system = SYSTEMS["cluster"]
    text = trace_page(
        run_of("leader-disk-fails"), system.describer, glossary_of(system)
    )
    path.write_text(text, "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def kip_101_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with the flaw of KIP-101."""
    system = SYSTEMS["replication"].protocols_by_name
    model = replication_model(system["kip-101"], ReplicationBounds(brokers=2))
    header = Header(
        "replication", "replication", "kip-101", {}, BROKEN, "always", f"{BROKEN}(0, 1)"
    )
    saved = SavedTrace(header, Stepper(model).take(KIP_101))
    path = tmp_path_factory.mktemp("pages") / "kip-101.html"
    glossary = glossary_of(SYSTEMS["replication"], BROKEN)
    text = trace_page(saved, SYSTEMS["replication"].describer, glossary)
    path.write_text(text, "utf-8")
    return path.as_uri()


def test_observed_and_hidden_steps_are_apart(browser: Browser, tmp_path: Path) -> None:
    """Each observation has its place in the logs; a hidden step says that it is one."""
    system = SYSTEMS["cluster"]
    run = run_of("leader-disk-fails")
    seen = (("broker-0.log:7: append",), *((),) * (len(run.trace.steps) - 1))
    told = evolve(run, observations=seen)
    path = tmp_path / "observed.html"
    text = trace_page(told, system.describer, glossary_of(system))
    path.write_text(text, "utf-8")
    browser.open(f"{path.as_uri()}#step-2")
    assert browser.text(".observations") == "broker-0.log:7: append"
    browser.press(Keys.ARROW_DOWN)
    assert browser.text(".unseen") == "Hidden step: no log shows it."
    hidden = browser.all(".hidden-step")
    assert len(hidden) == len(run.trace.steps) - 1
    assert f"1 of {len(run.trace.steps)} steps were observed" in browser.text("header")


def test_keys_step_through_the_run(browser: Browser, kip_101_page: str) -> None:
    """Arrows go to the next and the last state, and the address names the state."""
    browser.open(f"{kip_101_page}#step-1")
    assert browser.text("[aria-selected=true]").startswith("1")
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    assert browser.text("h2") == "2 of 12: elect_leader(leader=0)"
    assert browser.driver.current_url.endswith("#step-2")
    browser.press(Keys.END)
    assert browser.text(".broken") == f"Broken here: {BROKEN}(0, 1)"
    browser.press(Keys.HOME)
    assert browser.text("h2") == "1 of 12: initial state"
    assert browser.complaints() == []


def test_the_page_opens_where_the_property_breaks(
    browser: Browser, kip_101_page: str
) -> None:
    """Without a step in the address, the last state is selected."""
    browser.open(kip_101_page)
    assert browser.text("h2").startswith("12 of 12")
    assert browser.text(".broken") == f"Broken here: {BROKEN}(0, 1)"


def test_a_search_leads_from_match_to_match(
    browser: Browser, kip_101_page: str
) -> None:
    """The steps with the text are marked, and Enter goes round them."""
    browser.open(f"{kip_101_page}#step-1")
    browser.all(".search")[0].send_keys("elect_leader")
    matches = [row.get_attribute("data-step") for row in browser.all(".match")]
    assert len(matches) > 1
    assert browser.text(".found") == f"{len(matches)} found"
    for expected in (*matches, matches[0]):
        browser.all(".search")[0].send_keys(Keys.ENTER)
        selected = browser.all("[aria-selected=true]")[0]
        assert selected.get_attribute("data-step") == expected


def test_the_next_change_of_a_cell(browser: Browser, kip_101_page: str) -> None:
    """Its button leads to the next state in which the cell is another, and back."""
    browser.open(f"{kip_101_page}#step-2")
    cell = browser.text(".cells th").split()[0]
    browser.all("[title='Next change']")[0].click()
    number = int(browser.text("h2").split()[0])
    assert number > 2
    texts = [element.text for element in browser.all(".cells th")]
    names = [text.split()[0] for text in texts if text]
    assert cell in names
    assert browser.complaints() == []


def test_faults_are_marked(browser: Browser, cluster_page: str) -> None:
    """A fault has a sign in its row, and is called one beside it."""
    browser.open(cluster_page)
    faults = browser.all(".fault")
    assert faults
    assert all(row.text.splitlines()[1].startswith("⚡") for row in faults)
    faults[0].click()
    assert browser.text(".told-fault") == "Fault"


def test_what_changed_is_marked(browser: Browser, kip_101_page: str) -> None:
    """Old and new stand beside each other, and what did not change is folded."""
    browser.open(f"{kip_101_page}#step-12")
    assert [element.text for element in browser.all("del")] == [
        "r0@e0, r1@e1",
        "1",
        "1",
    ]
    assert [element.text for element in browser.all("ins")] == ["2", "0"]
    assert browser.text("summary") == "Unchanged (6)"
    assert browser.all("details[open]") == []


def test_logs_are_drawn(browser: Browser, kip_101_page: str) -> None:
    """Each broker has its row, with its records, and the high watermark stands out."""
    browser.open(f"{kip_101_page}#step-11")
    assert [element.text for element in browser.all(".owner")] == [
        "broker 0",
        "broker 1",
    ]
    assert [element.text for element in browser.all(".record")] == [
        "r0@e0",
        "r0@e0",
        "r1@e1",
    ]
    assert [element.text for element in browser.all(".watermark")] == ["r0@e0"]


def test_a_filter_leaves_the_steps_of_one_broker(
    browser: Browser, cluster_page: str
) -> None:
    """Only steps and cells of the broker are shown, and keys keep to them."""
    browser.open(cluster_page)
    whole = len(browser.all(".steps li"))
    browser.all(".filters button")[2].click()
    rows = browser.all(".steps li")
    assert 1 < len(rows) < whole
    assert browser.text(".filters [aria-pressed=true]") == "broker 1"
    browser.press(Keys.END)
    assert browser.text("h2").startswith("40 of 40")
    names = {element.text for element in browser.all(".owner")}
    assert names == {"broker 1, directory 0"}


def test_a_rule_leads_to_its_text(browser: Browser, cluster_page: str) -> None:
    """The id of a rule is a link to what the model says of it."""
    browser.open(f"{cluster_page}#step-3")
    link = browser.all(".where a")[0]
    name = link.text
    link.click()
    assert name in browser.text(".rule:target")
    assert "model/cluster/" in browser.text(".rule:target")
    assert browser.text("h2").startswith("3 of 40")


def test_no_step_needs_more_width(browser: Browser, cluster_page: str) -> None:
    """A run of 40 states of the cluster fits 1280 points in every state."""
    browser.open(cluster_page)
    assert len(browser.all(".steps li")) == 40
    for _ in range(40):
        assert browser.run(WIDEST) == [0, 0, 0, 0]
        browser.press(Keys.ARROW_DOWN)


def test_light_and_dark(browser: Browser, kip_101_page: str) -> None:
    """The page follows the user's preference."""
    colours = set()
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.open(kip_101_page)
        colours.add(browser.run(BACKGROUND))
    browser.prefer("light")
    assert len(colours) == 2


def test_the_picture_in_the_docs(
    browser: Browser, cluster_page: str, tmp_path: Path
) -> None:
    """The picture of the viewer can be taken; PICTURES says where it is kept."""
    browser.open(f"{cluster_page}#step-18")
    path = Path(os.environ.get("PICTURES", tmp_path)) / "viewer.png"
    browser.picture(path)
    assert path.stat().st_size > 10_000
