"""The pytest plugin, and checks in Python."""

from __future__ import annotations

import re
from typing import Any

import pytest

import toys
from replicheck.cli.testing import (
    DoesNotHold,
    always,
    assert_holds,
    assert_violated,
    every_step,
    no_deadlock,
    sometimes,
)
from replicheck.explorer.engine import Limits
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.replication.properties import (
    leader_isr_has_records_below_hw,
    record_is_committed,
)

ENTRY = """
[[check]]
scenario = "replication"
bounds = { brokers = 2, log_size = 1, records = 1, max_leader_epoch = 1 }
"""
NARROW = ENTRY + "witnesses = []\n"
NAIVE = ("--replicheck-engine", "naive")


def run(pytester: pytest.Pytester, text: str, *options: str) -> pytest.RunResult:
    """Run pytest in a folder with a suite."""
    pytester.path.joinpath("my-suite.toml").write_text(text, "utf-8")
    return pytester.runpytest_subprocess(*NAIVE, *options)


def test_each_entry_is_a_test(pytester: pytest.Pytester) -> None:
    """An entry that is as expected passes; its name says what it is."""
    done = run(pytester, NARROW + NARROW + 'protocol = "kip-279"\n', "-v")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(
        [
            "my-suite.toml::check[[]1-replication-kip-320[]] PASSED*",
            "my-suite.toml::check[[]2-replication-kip-279[]] PASSED*",
        ]
    )


def test_an_entry_can_be_chosen(pytester: pytest.Pytester) -> None:
    """Tests are selected as all tests are, and only those are searched."""
    suite = NARROW + NARROW + 'protocol = "kip-279"\n'
    run(pytester, suite, "-k", "kip-279").assert_outcomes(passed=1, deselected=1)


def test_a_failure_tells_the_story(pytester: pytest.Pytester) -> None:
    """It has the run and the command that repeats it, and no traceback."""
    suite = NARROW.replace("brokers = 2, log_size = 1, records = 1", "brokers = 2")
    suite = suite.replace("max_leader_epoch = 1", "max_leader_epoch = 2")
    done = run(pytester, suite + 'protocol = "kip-101"\n')
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*reproduce: replicheck check my-suite.toml --entry 1*",
            "VIOLATED leader_isr_has_records_below_hw: *12 states",
            "*become_follower_and_truncate_by_kip_101(leader=*",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")
    assert list(pytester.path.joinpath("counterexamples").iterdir())


def test_a_cut_search_fails(pytester: pytest.Pytester) -> None:
    """Nothing found is not "holds"."""
    done = run(pytester, NARROW + "limits = { depth = 2 }\n")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*the search is incomplete (depth)*"])


def test_a_suite_that_is_wrong(pytester: pytest.Pytester) -> None:
    """It is an error of the collection with the message, and no traceback."""
    done = run(pytester, NARROW + 'protocl = "kip-279"\n')
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*check?1?.protocl: there is no such key; did you*"])
    done.stdout.no_fnmatch_line("*Traceback*")


def test_other_files_are_left_alone(pytester: pytest.Pytester) -> None:
    """Only names that match are collected, or a file that is named."""
    pytester.path.joinpath("other.toml").write_text(NARROW, "utf-8")
    assert (
        pytester.runpytest_subprocess(*NAIVE).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    )
    pytester.runpytest_subprocess(*NAIVE, "other.toml").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nreplicheck_suites = oth*.toml")
    pytester.runpytest_subprocess(*NAIVE).assert_outcomes(passed=1)


def test_an_engine_that_is_not_there(pytester: pytest.Pytester) -> None:
    """It is named, with those that are."""
    done = run(pytester, NARROW, "--replicheck-engine", "nave")
    done.stderr.fnmatch_lines(["*nave is none of breadth-first, naive*"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_a_number_of_threads_that_cannot_be(pytester: pytest.Pytester) -> None:
    """It is refused before any suite is read."""
    for threads in ("0", "-3"):
        done = run(pytester, NARROW, "--replicheck-threads", threads)
        done.stderr.fnmatch_lines([f"*--replicheck-threads: {threads} is less than 1*"])
        assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_results_are_cached(pytester: pytest.Pytester) -> None:
    """The second run says where its result comes from."""
    run(pytester, NARROW)
    done = run(pytester, NARROW, "-rP")
    done.stdout.fnmatch_lines(["*from the cache of an earlier run*"])


def test_assert_holds() -> None:
    """Claims about a model in Python hold in all its states."""
    claims = toys.is_within_its_limit, sometimes(toys.reaches_its_limit)
    assert assert_holds(toys.counter(), *claims).states == 6
    assert assert_holds(toys.counter(), every_step(toys.never_goes_down)).states == 6


def test_assert_holds_tells_the_story() -> None:
    """The message is the run to the violation."""
    with pytest.raises(DoesNotHold, match="at state 2: is_below_two"):
        assert_holds(toys.counter(), toys.is_below_two)
    with pytest.raises(DoesNotHold, match="no action is enabled"):
        assert_holds(toys.counter(), no_deadlock())


def test_assert_holds_wants_every_state() -> None:
    """A search that is cut, an error, and a witness not reached are failures."""
    model = toys.counter()
    with pytest.raises(DoesNotHold, match="the limit on depth cut the search after 3"):
        assert_holds(model, toys.is_within_its_limit, limits=Limits(depth=2))
    with pytest.raises(DoesNotHold, match="ERROR break_down raised ZeroDivisionError"):
        assert_holds(toys.counter(toys.break_down), toys.is_within_its_limit)
    with pytest.raises(DoesNotHold, match="exceeds_its_limit: no state of all 6 is"):
        assert_holds(model, sometimes(toys.exceeds_its_limit))


def test_assert_holds_of_all_that_a_scenario_claims_heeds_limits() -> None:
    """A search that is cut is a failure there, too."""
    with pytest.raises(DoesNotHold, match="the limit on depth cut the search"):
        assert_holds("replication", limits=Limits(depth=2))


def test_assert_holds_wants_a_claim() -> None:
    """An invariant whose premise never holds is a failure."""
    with pytest.raises(DoesNotHold, match="is_even is vacuously true"):
        assert_holds(toys.counter(), toys.above_its_limit_it_is_even)


def test_assert_holds_of_a_scenario() -> None:
    """A scenario is chosen by name, with other bounds, and with claims or its own."""
    small = {"brokers": 2, "log_size": 1, "records": 1}
    claims = (
        leader_isr_has_records_below_hw,
        sometimes(record_is_committed),
    )
    report = assert_holds("replication", *claims, bounds=small, engine="naive")
    assert report.states > 0
    with pytest.raises(DoesNotHold, match="no state is a witness of"):
        assert_holds("replication", bounds={"brokers": 1}, engine="naive")
    with pytest.raises(ScenarioError, match='did you mean "replication"'):
        assert_holds("replicaton")


def test_assert_violated() -> None:
    """The shortest run is returned, and its length can be claimed."""
    violation = assert_violated(toys.counter(), always(toys.is_below_two), states=2)
    assert violation.trace.steps[-1].label == "add(amount=2)"
    with pytest.raises(DoesNotHold, match="expected a run of 3 states, not 2"):
        assert_violated(toys.counter(), toys.is_below_two, states=3)
    with pytest.raises(DoesNotHold, match="is_within_its_limit is not violated: holds"):
        assert_violated(toys.counter(), toys.is_within_its_limit)


def test_assert_holds_wants_what_lies_beyond_constraints() -> None:
    """What a constraint keeps from being seen may break it."""
    model = toys.counter(limit=9, constraints=(toys.is_at_most_five,))
    with pytest.raises(DoesNotHold, match=r"incomplete: constraints \(is_at_most_five"):
        assert_holds(model, toys.is_within_its_limit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "what is searched is 3, expected the name of a scenario, a model of"),
        ((toys.counter(), 3), "a claim is 3, expected a function of a state, or what"),
        ((toys.counter(), "never"), "a claim is 'never', expected a function"),
    ],
)
def test_what_assert_holds_cannot_take(arguments: Any, message: str) -> None:
    """With what it can."""
    with pytest.raises(TypeError, match=message):
        assert_holds(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bounds": "brokers=2"}, "bounds is 'brokers=2', expected a mapping such as"),
        (
            {"engine": "nothing"},
            "engine is 'nothing', expected the name of an engine: ",
        ),
        ({"limits": {"states": 3}}, "limits is {'states': 3}, expected a value of"),
        ({"protocol": 3}, "protocol is 3, expected the name of a protocol"),
        ({"initial": 3}, "initial is 3, expected the name of an initial state"),
        ({"traces": "kept"}, "traces is 'kept', expected a pathlib.Path"),
        ({"livelocks": 3}, "livelocks is 3, expected True or False"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_argument_of_another_type_is_named(arguments: Any, message: str) -> None:
    """With its value and what is expected, before anything is searched."""
    with pytest.raises(TypeError, match=re.escape(message)):
        assert_holds("alter-isr", **arguments)


def test_a_number_of_states_is_a_number() -> None:
    """A text is equal to no number, and would never be the length of a run."""
    wrong: Any = "3"
    with pytest.raises(TypeError, match="states is '3', expected a number"):
        assert_violated("alter-isr", record_is_committed, states=wrong)


def test_a_suite_is_no_scenario() -> None:
    """It has several searches, whose reports would be several."""
    with pytest.raises(TypeError, match="default has several searches, expected one"):
        assert_holds("default")
