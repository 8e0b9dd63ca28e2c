"""A file with a model is taken wherever a scenario is."""

from __future__ import annotations

import json
import pickle
import re
import shlex
import shutil
import sys
from importlib import metadata
from pathlib import Path

import pytest

from command_line.own_models import EXAMPLES, run
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.cli.testing import DoesNotHold, assert_holds, assert_violated
from replicheck.explorer.engine import unwatched
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.partitioned.spark.runner import spark
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.own import offered_models
from replicheck.invariants.catalogue.own.module_loading import own_files

FILE = "two_phase.py"
IMPATIENT = (FILE, "--protocol", "impatient")

pytestmark = pytest.mark.usefixtures("folder")


def test_list_and_show() -> None:
    """List has its variant and its claims; show has its actions."""
    listed = run("list", FILE)
    assert "impatient  A participant does not wait" in listed.stdout
    assert "participants_agree" in listed.stdout
    assert "replication" not in listed.stdout
    assert "learn" in run("show", FILE).stdout
    matrix = run("show", FILE, "--dependencies")
    assert "learned from all 74 states" in matrix.stdout
    assert "kip-320" in run("list", "replication").stdout
    assert run("list", "replicatoin").exit_code == 151


@pytest.mark.parametrize(
    "words", [("simulate", "--walks", "100"), ("fuzz", "--examples", "100")]
)
def test_walks(words: tuple[str, ...]) -> None:
    """They find the violation, and save it."""
    command, *options = words
    done = run(command, *IMPATIENT, *options)
    assert done.exit_code == 12, done.output
    assert f"Saved: counterexamples/{FILE}-impatient-participants_agree" in done.stdout


@pytest.mark.parametrize("form", ["promela", "graphml", "dot"])
def test_exports(form: str) -> None:
    """All 74 states go to another tool."""
    done = run("export", FILE, "--format", form)
    assert done.exit_code == 0
    assert "learn(participant=1)" in done.stdout or "learn" in done.stdout


def test_explore() -> None:
    """The page has the steps from the initial state."""
    catalogue = Catalogue.shipped()
    (task,) = tasks(catalogue, (FILE,), Overrides("breadth-first"))
    assert task.scenario.name == FILE
    assert BrowserApi.of(task).task is task


def test_mutants() -> None:
    """Each variant is to be caught, by whatever property."""
    done = run("mutants", FILE)
    assert done.exit_code == 0, done.output
    assert "1 killed" in done.stdout
    text = Path(FILE).read_text("utf-8")
    Path("blind.py").write_text(
        text.replace(
            "    return (\n        s.phases[first]",
            "    return True or (\n        s.phases[first]",
        ),
        "utf-8",
    )
    alive = run("mutants", "blind.py")
    assert alive.exit_code == 10
    assert "impatient: exit 10: no property is violated" in alive.stdout
    assert "reproduce: replicheck check blind.py --protocol impatient" in alive.stdout


def test_reports(folder: Path) -> None:
    """Every form of a report names the model and the run."""
    forms = ("html", "markdown", "junit", "json")
    words = [word for form in forms for word in (f"--{form}", f"report.{form}")]
    done = run("check", *IMPATIENT, "--coverage", *words)
    assert done.exit_code == 12
    assert "abort_if_prepared" in done.stdout
    for form in forms:
        assert "participants_agree" in Path(f"report.{form}").read_text("utf-8")


def test_a_run_is_resumed_once_its_code_is_named() -> None:
    """A run folder never says which code is run; who was interrupted is told how."""
    cut = run("check", FILE, "--limit-seconds", "1e-9", "--checkpoint", "kept")
    assert cut.exit_code == 77, cut.output
    how = f"go on from the last checkpoint: replicheck resume kept --model {FILE}\n"
    assert how in cut.stdout
    refused = run("resume", "kept", "--limit-seconds", "100")
    assert refused.exit_code == 151
    assert f"run only if you name it: add --model {FILE}" in refused.stderr
    done = run("resume", "kept", "--limit-seconds", "100", "--model", FILE)
    assert "visited all 74 states" in done.stdout, done.output


def test_a_run_that_judges_nothing_is_resumed() -> None:
    """A model may claim nothing: how many states it has is an answer, too."""
    text = (EXAMPLES / "two_phase.py").read_text("utf-8")
    claims = re.sub(r"@model\.(always|sometimes|every_step)\n", "", text)
    Path("quiet.py").write_text(claims, "utf-8")
    run("check", "quiet.py", "--limit-seconds", "1e-9", "--checkpoint", "kept")
    on = ("--limit-seconds", "100", "--model", "quiet.py")
    done = run("resume", "kept", *on)
    assert (done.exit_code, "visited all 74 states" in done.stdout) == (0, True)


def test_a_command_that_shows_a_run_names_its_code() -> None:
    """In the text of `ways`, and in the text and on the page of a suite."""
    entry = f'[[check]]\nscenario = "{FILE}"\n'
    known = 'protocol = "impatient"\nexpect = { verdict = "violated" }\n'
    Path("mine.toml").write_text(f"{entry}{entry}{known}", "utf-8")
    suite = run("check", "mine.toml", "-v", "--html", "page.html")
    assert suite.exit_code == 0, suite.output
    lines = run("ways", FILE, "participants_agree", *IMPATIENT[1:]).stdout.splitlines()
    (command, *_) = [line for line in lines if "trace show" in line]
    shown = run(*command.split()[1:])
    assert shown.exit_code == 0, shown.output
    for text in (suite.stdout, Path("page.html").read_text("utf-8")):
        assert re.search(rf"participants_agree-\w+.jsonl --model {FILE}", text)


def test_a_trace_is_read_in_another_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user in another directory names the file as it is seen from there."""
    done = run("check", *IMPATIENT, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = str(folder / result["violations"][0]["file"])
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    for command in ("replay", "show", "explain"):
        read = run("trace", command, file, "--model", "../two_phase.py")
        assert read.exit_code in (0, 12), read.output
    page = run("trace", "show", file, "--model", "../two_phase.py", "--format", "html")
    assert "<html" in page.stdout, page.output


def test_no_code_of_a_path_in_a_trace_is_run(folder: Path) -> None:
    """Not by any command that reads one."""
    done = run("check", *IMPATIENT, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = result["violations"][0]["file"]
    Path(FILE).write_text("open('was-run', 'w')\n", "utf-8")
    sys.modules.pop("two_phase", None)
    for command in ("replay", "show", "explain"):
        assert run("trace", command, file).exit_code == 151
    assert run("explore", "replication", "--trace", file).exit_code == 151
    assert not Path("was-run").exists()


def test_python() -> None:
    """Tests take the file, or the model itself."""
    assert assert_holds(FILE).states == 74
    import two_phase

    assert assert_holds(two_phase.model).states == 74
    claim = two_phase.participants_agree
    assert_violated(two_phase.model, claim, protocol="impatient", states=7)
    with pytest.raises(DoesNotHold, match=r"Saved: counterexamples/two_phase\.py-imp"):
        assert_holds(two_phase.model, protocol="impatient")


def test_the_pytest_plugin(pytester: pytest.Pytester, folder: Path) -> None:
    """An entry of a suite takes the file beside it."""
    shutil.copy(folder / FILE, pytester.path)
    pytester.path.joinpath("my-suite.toml").write_text(
        f'[[check]]\nscenario = "{FILE}"\n\n'
        f'[[check]]\nscenario = "{FILE}"\nprotocol = "impatient"\n',
        "utf-8",
    )
    done = pytester.runpytest_subprocess("--replicheck-engine", "naive")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["Saved: counterexamples/two_phase.py-impatient-*"])


def test_a_state_is_sent_to_another_process() -> None:
    """With all of its cells."""
    catalogue = Catalogue.shipped()
    (task,) = tasks(catalogue, (FILE,), Overrides("breadth-first"))
    (state,) = task.model.initial_states()
    assert pickle.loads(pickle.dumps(state)) == state


def test_the_workers_of_spark_get_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they could not import it: from another directory."""
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    conf = "--conf spark.ui.enabled=false pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", conf)
    shutil.copy(EXAMPLES / "async_isr.py", folder)
    catalogue = Catalogue.shipped()
    (task,) = tasks(catalogue, ("../async_isr.py",), Overrides("spark"))
    cluster = spark("local[2]", own_files())
    engine = Partitioned(buckets=4, cluster=cluster, small=100, name="spark")
    found = engine.explore(task.model, task.properties, task.search(unwatched))
    assert found.states == 22_456
    assert found.verdict.value == "holds"


def test_an_installed_package_offers_a_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an entry point; its code is run when it is named, and by ``list``."""
    monkeypatch.syspath_prepend(folder)
    point = metadata.EntryPoint("commit", "two_phase:model", offered_models.GROUP)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    offered_models.installed.cache_clear()
    try:
        assert "visited all 74 states" in run("check", "commit").stdout
        assert "Protocols of commit" in run("list").stdout
        done = run("check", "commit", "--protocol", "impatient", "--json", "-")
        (result,) = json.loads(done.stdout)["results"]
        file = result["violations"][0]["file"]
        assert "still violates" in run("trace", "replay", file).stdout
        assert "impatient" in run("list", "commit").stdout
        assert "1 killed" in run("mutants", "commit").stdout
    finally:
        offered_models.installed.cache_clear()


@pytest.mark.parametrize(
    "words",
    [
        ("check", FILE, "--json", FILE),
        ("check", f"{FILE}:model", "--html", f"./{FILE}"),
        ("simulate", FILE, "--walks", "5", "--json", FILE),
        ("export", FILE, "--format", "dot", "--output", FILE),
    ],
)
def test_no_output_replaces_the_model(words: tuple[str, ...]) -> None:
    """However its file is named."""
    before = Path(FILE).read_bytes()
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert f"{FILE} is read, and would be lost: name another file" in done.stderr
    assert Path(FILE).read_bytes() == before


def test_an_action_of_a_variant_is_told_by_what_it_does() -> None:
    """As each other action of the run is."""
    done = run("check", *IMPATIENT, "--no-cache")
    assert "A participant does not wait for the decision" in done.stdout


def test_it_is_not_known_what_a_run_needs() -> None:
    """Of a model that does not say it; the command that finds its faults is told."""
    run("check", *IMPATIENT)
    saved = next(Path("counterexamples").glob("*.jsonl"))
    told = run("trace", "explain", str(saved), "--model", FILE).stdout
    assert "Needs: not known" in told
    assert "no fault" not in told
    (command,) = re.findall(r"The faults that it needs: replicheck (.*)", told)
    assert "crashes" in run(*shlex.split(command)).stdout


def test_a_search_goes_on_in_another_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is named as it is called from there."""
    options = ("--checkpoint", "kept", "--limit-seconds", "1e-9")
    assert run("check", FILE, *options).exit_code == 77
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    words = ("../kept", "--model", f"../{FILE}", "--limit-seconds", "100")
    done = run("resume", *words)
    assert "visited all 74 states" in done.stdout, done.output
