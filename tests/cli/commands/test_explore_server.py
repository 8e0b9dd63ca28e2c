"""``replicheck explore``: its server, and its page in a browser."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium.webdriver.common.keys import Keys

from browser import Browser
from command_line.explore import answers_of
from command_line.own_models import COUNTER, imports_of
from command_line.processes import REPLICHECK
from replicheck.cli.main import main
from replicheck.cli.saved_traces.trace_reading import classes_of
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.server import Application, serve
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.json_lines import loads
from scenario_runs import BROKEN, KIP_101
from shipped import CATALOGUE


@pytest.fixture(scope="module")
def kip_101() -> BrowserApi:
    """The answers on KIP-101 with two brokers."""
    return answers_of("replication", protocol="kip-101", bounds={"brokers": 2})


def test_a_port_that_is_taken() -> None:
    """The message says which port, and there is no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(main, ["explore", "replication", "--port", port])
    assert done.exit_code == 2
    assert f"--port: cannot listen on {port}" in done.stderr


def test_an_unknown_scenario() -> None:
    """A wrong name gives the nearest right one."""
    done = CliRunner().invoke(main, ["explore", "replicaton"])
    assert done.exit_code == 151
    assert 'did you mean "replication"?' in done.stderr


def test_a_request_that_breaks_prints_nothing(
    kip_101: BrowserApi, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as one whose client falls silent, then goes away."""
    server = serve(Application(kip_101), 0)
    server.log("error", "Traceback")
    server.server_close()
    assert not caplog.records


def test_ctrl_c_ends_the_server() -> None:
    """It listens on loopback until Ctrl-C, and then ends without a word."""
    with subprocess.Popen(
        [REPLICHECK, "explore", "replication"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as page:
            assert b"replication, kip-320" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


@contextmanager
def serving(application: Application) -> Iterator[str]:
    """Serve in a thread for a while, at this address."""
    server = serve(application, 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}/"
    server.shutdown()
    thread.join()


@pytest.fixture(scope="module")
def address(kip_101: BrowserApi) -> Iterator[str]:
    """Serve KIP-101 for the browser."""
    with serving(Application(kip_101)) as found:
        yield found


def test_the_page_walks(browser: Browser, address: str) -> None:
    """An action is taken by mouse or key, and steps back lead where one was."""
    browser.open(address)
    browser.wait_for(".choices h3", "ENABLED (4)")
    browser.all(".choices button")[1].click()
    browser.wait_for("h2", "2 of 2: elect_leader(leader=1)")
    browser.press("1")
    browser.wait_for("h2", "3 of 3: elect_leader(leader=0)")
    browser.press(Keys.BACKSPACE)
    browser.wait_for("h2", "2 of 2: elect_leader(leader=1)")
    assert browser.complaints() == []


def test_a_step_that_was_left_is_taken_again(browser: Browser, address: str) -> None:
    """Redo leads where Backspace came from, until another step is taken."""
    browser.open(address)
    browser.wait_for(".choices h3", "ENABLED (4)")
    browser.press("2")
    browser.wait_for("h2", "2 of 2: elect_leader(leader=1)")
    browser.press(Keys.BACKSPACE)
    browser.wait_for("h2", "1 of 1")
    browser.press("r")
    browser.wait_for("h2", "2 of 2: elect_leader(leader=1)")
    browser.all("#random")[0].click()
    browser.wait_for("h2", "3 of 3")
    assert browser.complaints() == []


def test_a_violation_that_is_found_from_here_is_walked(
    browser: Browser, address: str
) -> None:
    """The list has the violations; one of them leads to its end."""
    browser.open(address)
    browser.wait_for(".choices h3", "ENABLED (4)")
    browser.all("#search")[0].click()
    browser.wait_for(".discoveries", BROKEN)
    found = [x for x in browser.all(".discoveries button") if BROKEN in x.text]
    found[0].click()
    browser.wait_for(".verdicts .bad", BROKEN)


def test_the_page_opens_a_trace(
    browser: Browser, address: str, kip_101: BrowserApi, tmp_path: Path
) -> None:
    """A saved trace is walked to its end, where the broken invariant stands out."""
    path = tmp_path / "run.jsonl"
    path.write_text(kip_101.trace(KIP_101), "utf-8")
    browser.open(address)
    browser.wait_for(".choices h3", "ENABLED (4)")
    browser.all("#file")[0].send_keys(str(path))
    browser.wait_for("h2", "12 of 12")
    browser.wait_for(".verdicts .bad", BROKEN)
    browser.press(Keys.ARROW_UP)
    browser.wait_for(".choices h3", "REPLACES THE REST")
    browser.wait_for(".choices .breaks", BROKEN)
    assert browser.all(".verdicts .bad") == []


def test_the_page_copies_a_trace(browser: Browser, address: str) -> None:
    """What the clipboard then has is a trace of the steps so far."""
    browser.open(address)
    browser.wait_for(".choices h3", "ENABLED (4)")
    browser.press("1")
    browser.wait_for("h2", "2 of 2")
    script = (
        "window.copied = ''; navigator.clipboard.writeText ="
        " async (text) => { window.copied = text; }"
    )
    browser.run(script)
    browser.all("#copy")[0].click()
    browser.wait_for("#message", "Copied")
    saved = loads(browser.run("return window.copied"), partial(classes_of, CATALOGUE))
    assert [step.label for step in saved.trace.steps] == ["elect_leader(leader=0)"]


def test_the_page_says_when_the_server_has_ended(
    browser: Browser, kip_101: BrowserApi
) -> None:
    """A page without its server tells what to do."""
    with serving(Application(kip_101)) as address:
        browser.open(address)
        browser.wait_for(".choices h3", "ENABLED (4)")
    browser.press("1")
    browser.wait_for("#message", "The server has ended")


def test_the_picture_in_the_docs(
    browser: Browser, kip_101: BrowserApi, tmp_path: Path
) -> None:
    """The picture of the explorer can be taken; PICTURES says where it is kept."""
    path = Path(os.environ.get("PICTURES", tmp_path)) / "explore.png"
    browser.prefer("dark")
    with serving(Application(kip_101, KIP_101[:-1])) as address:
        browser.open(address)
        browser.wait_for("h2", "11 of 11")
        browser.wait_for(".choices .breaks", BROKEN)
        browser.picture(path)
    browser.prefer("light")
    assert path.stat().st_size > 10_000


RAISES = """
@model.initial
def zero(bounds: Size) -> Counter:
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    yield s.evolve(value=s.value + 1 + 0 // (2 - s.value))
"""


def test_a_search_shows_what_the_model_raises(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the steps that lead there."""
    with imports_of(tmp_path, monkeypatch):
        Path("raises.py").write_text(COUNTER + RAISES)
        (task,) = tasks(Catalogue.shipped(), ("raises.py",), Overrides("breadth-first"))
        with serving(Application(BrowserApi.of(task))) as found:
            browser.open(found)
            browser.wait_for(".choices h3", "ENABLED (1)")
            browser.all("#search")[0].click()
            browser.wait_for(".failure", "ERROR go raised ZeroDivisionError")
            shown = [step.text for step in browser.all(".discoveries ol li")]
    assert shown == ["go", "go"]
    assert browser.complaints() == []
