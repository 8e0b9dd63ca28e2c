"""``replicheck find``: a shortest run to a state of a kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import toys
from command_line.messages import require_message
from command_line.own_models import imports_of
from replicheck.cli.main import main

pytestmark = pytest.mark.usefixtures("elsewhere")


IS_INVARIANT = (
    "--reach: is_below_two is an invariant, expected a witness: `replicheck check"
    " counter --invariant is_below_two` judges it"
)


def find(*arguments: str) -> Result:
    """Run `replicheck find` with the counters as the only scenario."""
    return CliRunner().invoke(main, ["find", *arguments], obj=toys.catalogue())


def test_a_shortest_run_to_a_witness() -> None:
    """It is printed and saved; five is reached by two steps of two and one of one."""
    done = find("counter", "--reach", "reaches_its_limit", "--bounds", "limit=5")
    assert done.exit_code == 0
    assert "reaches_its_limit: a shortest run to it has 4 states" in done.stdout
    (saved,) = Path("counterexamples").iterdir()
    assert f"Saved: {saved}" in done.stdout
    shown = CliRunner().invoke(
        main, ["trace", "show", str(saved)], obj=toys.catalogue()
    )
    assert shown.exit_code == 0, shown.output


def test_the_steps_in_full() -> None:
    """--full has what each step changed."""
    done = find("counter", "--reach", "reaches_its_limit", "--full")
    assert "value  0 -> " in done.stdout


def test_a_state_that_is_not_reached() -> None:
    """All states were visited, and none is like that; the code is 10."""
    done = find("counter", "--reach", "exceeds_its_limit")
    assert done.exit_code == 10
    assert "exceeds_its_limit: no state reaches it; visited all " in done.stdout


def test_a_search_that_is_cut() -> None:
    """It is not known; the code is 77."""
    done = find("counter", "--reach", "exceeds_its_limit", "--limit-states", "2")
    assert done.exit_code == 77
    assert "exceeds_its_limit: not known; " in done.stdout


def test_a_predicate_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of the state in a file of the user's own is a witness."""
    tmp_path.joinpath("mine.py").write_text(
        'def is_three(state):\n    """Three."""\n    return state.value == 3\n',
        "utf-8",
    )
    with imports_of(tmp_path, monkeypatch):
        done = find("counter", "--reach", "mine.py:is_three")
    assert done.exit_code == 0, done.output
    assert "is_three: a shortest run to it has 3 states" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("counter",), 2, "Missing option '--reach'"),
        (("counter", "--reach", "nothing"), 151, "--reach: there is no witness"),
        (("counter", "--reach", "is_below_two"), 151, IS_INVARIANT),
        (("nowhere", "--reach", "reaches_its_limit"), 151, "nowhere"),
        (("counter", "--reach", "none.py:f"), 151, "none.py"),
    ],
)
def test_wrong_input(arguments: tuple[str, ...], code: int, message: str) -> None:
    """One message names what is wrong."""
    require_message(find(*arguments), code, message)
