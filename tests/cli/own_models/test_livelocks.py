"""``--livelocks``: claims about runs for ever, from the command line to the trace."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from checkout import ROOT
from command_line.own_models import run
from replicheck.cli.testing import (
    DoesNotHold,
    assert_holds,
    assert_violated,
    eventually_always,
    leads_to,
)
from replicheck.model.modelling.errors import ModellingError
from replicheck.modelling import Model

LINK = str(ROOT / "examples" / "lossy_link.py")
FOREVER = "is_asked_leads_to_is_done"
QUIET = "nothing_is_on_its_way"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("lossy_link", None)
    sys.modules.pop("link", None)


def weak_link(tmp_path: Path) -> str:
    """The example without strong fairness: what is lost each time never arrives."""
    text = Path(LINK).read_text("utf-8").replace("@model.strongly_fair\n", "")
    file = tmp_path / "link.py"
    file.write_text(text, "utf-8")
    return str(file)


def check(*options: str, code: int = 0) -> Result:
    """Check, and have the exit code that is expected."""
    done = run("check", *options)
    assert done.exit_code == code, done.output
    return done


def report_of(done: Result) -> Any:
    """The one result of a report in JSON."""
    (result,) = json.loads(done.stdout)["results"]
    return result


def test_runs_are_judged_when_asked_for() -> None:
    """And if not, the report says what is left."""
    assert f"not judged without --livelocks: {FOREVER}, {QUIET}" in (
        check(LINK, "-v").stdout
    )
    told = check(LINK, "-v", "--livelocks").stdout
    assert "not judged" not in told
    assert "no loop in which a fair run can stay for ever" in told


def test_a_name_asks_for_one_claim(tmp_path: Path) -> None:
    """As of any property."""
    file = weak_link(tmp_path)
    done = check(file, "--invariant", QUIET, "--json", "-", code=15)
    violations = report_of(done)["violations"]
    assert [violation["property"] for violation in violations] == [QUIET]


def test_weak_fairness_is_not_enough(tmp_path: Path) -> None:
    """The run is told with the state from which it repeats."""
    file = weak_link(tmp_path)
    told = check(file, "--livelocks", code=15).stdout
    assert "1 loop, of" not in told
    assert f"exit 15: {FOREVER} is violated after 5 states" in told
    assert f"VIOLATED {FOREVER}: the run has 5 states and repeats those" in told
    assert "From here, state 3, it repeats:" in told
    assert "State 5 is state 3 again: so it goes on for ever." in told


def test_a_run_can_stand_still() -> None:
    """The request is lost, and not sent again."""
    done = check(LINK, "--livelocks", "--protocol", "sends-once", code=15)
    assert "In state 4 it stays for ever" in done.stdout


def test_a_saved_lasso_is_replayed(tmp_path: Path) -> None:
    """In the protocol that breaks it and in one that does not."""
    file = weak_link(tmp_path)
    report = report_of(check(file, "--livelocks", "--json", "-", code=15))
    saved = report["violations"][0]["file"]
    assert report["violations"][0]["loop"] == 2
    assert json.loads(Path(saved).read_text().partition("\n")[0])["loop"] == 2
    replayed = run("trace", "replay", saved, "--model", file)
    assert replayed.exit_code == 15
    assert "still violates: the run repeats from state 3 on" in replayed.stdout
    strong = (
        Path(file)
        .read_text("utf-8")
        .replace(
            "@model.action\ndef deliver",
            "@model.strongly_fair\n@model.action\ndef deliver",
        )
    )
    Path(file).write_text(strong, "utf-8")
    sys.modules.pop("link", None)
    replayed = run("trace", "replay", saved, "--model", file)
    assert replayed.exit_code == 0
    assert "no longer violates" in replayed.stdout
    assert "is no fair loop that breaks it" in replayed.stdout
    shown = run("trace", "show", saved, "--model", file).stdout
    assert "From here, state 3, it repeats:" in shown
    assert "Avoidable" not in shown


def test_itf_has_the_loop(tmp_path: Path) -> None:
    """Behind the last state comes the second one of the loop."""
    file = weak_link(tmp_path)
    report = report_of(check(file, "--livelocks", "--json", "-", code=15))
    saved = report["violations"][0]["file"]
    words = ("trace", "show", saved, "--model", file, "--format", "itf")
    document = json.loads(run(*words).stdout)
    states = document["states"]
    assert document["loop"] == 3
    cells = document["vars"][:-2]
    assert [states[2][cell] for cell in cells] == [states[-1][cell] for cell in cells]


@pytest.mark.parametrize("option", ["--symmetry", "--reduce"])
def test_searches_of_representatives_are_refused(option: str) -> None:
    """With one line that names both options."""
    done = check(LINK, "--livelocks", option, code=2)
    assert f"--livelocks and {option}: a run for ever may go" in done.stderr


def test_what_keeps_no_whole_graph_is_refused(tmp_path: Path) -> None:
    """Spark, steps taken together, and constraints."""
    done = check(LINK, "--livelocks", "--engine", "spark", code=2)
    assert "--livelocks: the graph of all states is kept on one machine" in done.stderr
    together = ("--livelocks", "--step-reductions", "all")
    done = check("new-replica-is-refused", *together, code=2)
    assert "add --step-reductions none" in done.stderr
    text = Path(LINK).read_text("utf-8")
    constraint = "@model.constraint\ndef few(s: Link) -> bool:\n    return not s.sent\n"
    file = tmp_path / "link.py"
    file.write_text(f"{text}\n\n{constraint}", "utf-8")
    done = check(str(file), "--livelocks", code=2)
    assert "has constraints, and what a run does beyond a" in done.stderr


def test_a_limit_that_cuts_leaves_runs_undecided() -> None:
    """Nothing is claimed of what was not seen."""
    done = check(LINK, "--livelocks", "-v", "--limit-states", "9", code=77)
    assert f"{FOREVER}, {QUIET}" in done.stdout.partition("undecided: ")[2]


def test_a_violation_that_ends_the_search_before_runs_are_judged() -> None:
    """The report says how to have them judged."""
    done = check("fetching-endless-truncation", "--livelocks", code=0)
    told = done.stdout.partition("undecided: ")[2]
    assert "no_fetch_is_out_of_range; to judge claims about runs for ever, too," in told


@pytest.mark.parametrize("engine", ["naive", "numpy-walk"])
def test_other_engines_judge_the_states(engine: str, tmp_path: Path) -> None:
    """And then the same graph is looked at."""
    file = weak_link(tmp_path)
    told = check(file, "--livelocks", "--engine", engine, code=15).stdout
    assert f"{FOREVER} is violated after 5 states" in told


def test_a_cached_result_has_its_loop(tmp_path: Path) -> None:
    """And its statistics of the graph."""
    file = weak_link(tmp_path)
    results = [
        report_of(check(file, "--livelocks", "--json", "-", code=15)) for _ in range(2)
    ]
    assert [result["cached"] for result in results] == [False, True]
    assert [r["violations"][0]["loop"] for r in results] == [2, 2]
    assert f"{FOREVER} is violated after 5 states" in (
        check(file, "--livelocks", code=15).stdout
    )
    assert check(file).exit_code == 0


def test_a_suite_expects_a_lasso(tmp_path: Path) -> None:
    """By the name of the claim and the number of its states."""
    weak_link(tmp_path)
    suite = tmp_path / "suite.toml"
    text = f"""
        [[check]]
        scenario = "link.py"
        liveness = ["{FOREVER}"]
        [check.expect]
        verdict = "violated"
        violations = {{ {FOREVER} = 5 }}
    """
    suite.write_text(text, "utf-8")
    assert "as expected" in check(str(suite)).stdout
    suite.write_text(text.replace("= 5", "= 6"), "utf-8")
    assert "after 5 states, expected 6" in check(str(suite), code=10).stdout
    suite.write_text(text.replace(f'["{FOREVER}"]', '["is_dome"]'), "utf-8")
    done = check(str(suite), code=151)
    assert 'there is no claim about runs "is_dome"' in done.stderr


def test_a_claim_that_raises_is_named_with_its_line(tmp_path: Path) -> None:
    """Not with the line of what asks it."""
    text = Path(LINK).read_text("utf-8")
    raising = "    return s.nothing_of_the_kind\n"
    head, _, tail = text.partition("def is_done(")
    body = tail.index("    return ")
    end = tail.index("\n", body) + 1
    link = tmp_path / "link.py"
    link.write_text(f"{head}def is_done({tail[:body]}{raising}{tail[end:]}", "utf-8")
    line = 1 + link.read_text("utf-8").split("\n").index(raising.rstrip("\n"))
    done = check(str(link), "--livelocks", code=75)
    assert f"(link.py:{line})" in done.stdout


def test_a_model_without_cycles_says_so() -> None:
    """Of a shipped scenario, which makes no claim about runs."""
    told = check("alter-isr", "-v", "--livelocks").stdout
    assert "no run takes steps for ever, since none leads back" in told


def test_all_states_were_visited_where_only_runs_are_judged(tmp_path: Path) -> None:
    """No state is said to be left by a search whose only claims are violated."""
    text = Path(weak_link(tmp_path)).read_text("utf-8")
    only_runs = text.replace("@model.always\n", "")
    (tmp_path / "link.py").write_text(only_runs, "utf-8")
    told = check("link.py", "--livelocks", code=15).stdout
    assert "visited all 81 states" in told


def test_claims_in_python(tmp_path: Path) -> None:
    """By the fairness of the model's actions."""
    sys.path.insert(0, str(ROOT / "examples"))
    import lossy_link

    assert_holds(lossy_link.model, livelocks=True)
    claim = leads_to(lossy_link.is_asked, lossy_link.is_done)
    assert_holds(lossy_link.model, claim)
    violation = assert_violated(lossy_link.model, claim, protocol="sends-once")
    assert violation.loop == 3
    with pytest.raises(DoesNotHold, match="In state 1 it stays for ever"):
        assert_holds(lossy_link.model, eventually_always(lossy_link.is_done))


def test_wrong_claims_are_told_with_their_place() -> None:
    """When the model is written."""
    sys.path.insert(0, str(ROOT / "examples"))
    import lossy_link as link

    model: Model[Any] = Model("wrong")
    with pytest.raises(ModellingError, match="done has the parameter r"):
        model.leads_to(_is_idle, link.is_done)
    with pytest.raises(ModellingError, match="a property is a lambda"):
        model.eventually_always(lambda s: True)
    model.eventually_always(_is_idle)
    with pytest.raises(ModellingError, match="there is a function _is_idle"):
        model.always(_is_idle)


def _is_idle(s: Any) -> bool:
    """Nothing was asked for."""
    return not any(s.asked)


def test_a_suite_says_what_it_did_not_judge() -> None:
    """Below the line of each result, as the report of one search does."""
    suite = "".join(
        f'[[check]]\nscenario = "{LINK}"\nbounds = {{ requests = {requests} }}\n'
        for requests in (1, 2)
    )
    Path("link.toml").write_text(suite, "utf-8")
    told = check("link.toml").stdout
    assert told.count("not judged without --livelocks: ") == 2
    assert "not judged" not in check("link.toml", "--livelocks").stdout
