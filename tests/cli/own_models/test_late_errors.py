"""What goes wrong in a later state than the first is told with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.own_models import run
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue

pytestmark = pytest.mark.usefixtures("folder")


MODEL = """
from __future__ import annotations
import attrs, dataclasses
from collections.abc import Iterator
from replicheck.modelling import Id, Map, Model, State, Value, constant

class Place(Id):
    pass

class Record(Value):
    n: int = 0

@attrs.define
class Box:
    n: int = 0

@dataclasses.dataclass(frozen=True)
class Data:
    n: int = 0

class Counter(State):
    value: int = 0
    record: Record = Record()
    things: frozenset[int] = frozenset()
    anything: object = 0
    family: tuple[int, ...] = (0, 0)
    size: int = constant(2)
    spare = 0
    votes: Map[int, int] = Map()

model = Model("counter")

@model.initial
def zero(bounds: object) -> Counter:
    return Counter()

RUNS: list[int] = []

@model.action
def go(s: Counter) -> Iterator[Counter]:
    if s.value < 3:
        yield s.evolve(value=s.value + 1)
    else:
        LATE
"""
GO = MODEL[: MODEL.index("@model.action")].count("\n") + 1
LATE = MODEL[: MODEL.index("LATE\n")].count("\n") + 1

BROKEN = {
    "no end": (
        "while True: yield s.evolve(value=4)",
        "`go` yields more than 100,000 next states of one state: end its loop",
    ),
    "no evolve": ("yield Counter(4)", "`go` yields a Counter: expected `state.evolve"),
    "attrs.evolve": ("yield attrs.evolve(s, value=4)", "`go` yields a Counter"),
    "a list": ("yield s.evolve(anything=[1])", "`anything` holds [1] of type list"),
    "a dict": ("yield s.evolve(anything={1: 1})", "`anything` holds {1: 1} of type"),
    "a dataclass": ("yield s.evolve(anything=Data(1))", "holds Data(n=1) of type Data"),
    "not frozen": ("yield s.evolve(anything=Box(1))", "`anything` holds Box(n=1)"),
    "a float": ("yield s.evolve(anything=1.5)", "cell `anything` holds 1.5 of type"),
    "a float in a set": (
        "yield s.evolve(things=s.things | {1.5})",
        "the cell `things` holds 1.5 of type float, which has no canonical form",
    ),
    "a float in a family": (
        "yield s.evolve(family={0: 1.5})",
        "the cell `family` holds 1.5 of type float, which has no canonical form",
    ),
    "a queue": ("yield s.evolve(family=(*s.family, 1))", "`family` is a family, give"),
    "a tuple": (
        "yield s.evolve(anything=(1, 2))",
        "in the first initial state `anything` is no tuple, which has one cell",
    ),
    "a tuple in a family": (
        "yield s.evolve(family={1: (1, 2)})",
        "is (0, (1, 2)), and in the first initial state `family[1]` is no tuple",
    ),
    "None or a record": (
        "yield s.evolve(record=None)",
        "the cell `record` was a Record and is now None: a cell keeps its class",
    ),
    "None or a set": ("yield s.evolve(things=None)", "`things` was a frozenset and is"),
    "a dict for a Map": (
        "yield s.evolve(votes={1: 2})",
        "`votes` was a Map and is now {1: 2} of type dict: a cell keeps its class, so"
        " write what its operations make: put, remove",
    ),
    "another class": ("yield s.evolve(anything=Record(1))", "`anything` was a int and"),
    "no state": ("yield None", "`go` yields a NoneType: expected `state.evolve(...)`"),
    "hidden state": (
        "RUNS.append(1); yield s.evolve(value=4 + len(RUNS) % 2)",
        "`go` is not a function of the state: run twice in one state",
    ),
    "equal and unlike": (
        "yield s.evolve(value=True)",
        "`value` is both 1 and True, which are equal in Python and yet two values (int",
    ),
    "an id for a number": (
        "yield s.evolve(value=Place(0))",
        "`value` is both int(0) and Place(0), which are equal in Python and yet two",
    ),
}
WRONG_NAMES = {
    "family={7: 1}": "names family[7], and no state has it: `family` has family[0] to",
    "valeu=1": "names valeu, and no state has it; did you mean value?",
    "xyz=1": "names xyz, and no state has it; it has value, record, things, anything,",
    "size=1": "names size, a constant of the state, which no step can write",
    "spare=1": "names spare, which is no field of Counter, as it has no annotation: "
    "write `spare: int = …` in the class",
}
RAISES = {
    "a value with a list": (
        "yield s.evolve(things=frozenset({Record([1])}))",
        "go raised TypeError: unhashable type: 'list': Record.n is [1], a list",
    ),
    "it changes the state": ("s.value = 1; yield s", "go raised FrozenInstanceError"),
    "it raises": ("raise ValueError('no')", "go raised ValueError: no"),
}


def check(late: str, *words: str) -> str:
    """Output of a check of the model with an action that does this of late."""
    Path("late.py").write_text(MODEL.replace("LATE\n", f"{late}\n"), "utf-8")
    done = run(*(words or ("check",)), "late.py")
    assert done.exit_code == 75, done.output
    assert "Traceback" not in done.output
    return " ".join(done.output.split())


@pytest.mark.parametrize("late", BROKEN)
def test_a_broken_contract_names_the_function_with_file_and_line(late: str) -> None:
    """So the author of the model knows where to look."""
    code, told = BROKEN[late]
    output = check(code)
    assert told in output
    assert f"(go is at late.py:{GO})" in output
    assert "error: nothing is known of the states: the search failed" in output


@pytest.mark.parametrize("late", ["a float", "a dict", "not frozen"])
def test_the_naive_engine_names_the_cell_too(late: str) -> None:
    """Whether the value has no canonical form, or no hash."""
    code, told = BROKEN[late]
    assert told in check(code, "check", "--engine", "naive")


@pytest.mark.parametrize("cells", WRONG_NAMES)
def test_a_wrong_name_is_told_with_what_to_write_and_its_line(cells: str) -> None:
    """It is that of the call of `evolve`."""
    output = check(f"yield s.evolve({cells})")
    assert f"`evolve` {WRONG_NAMES[cells]}" in output
    assert f"(late.py:{LATE})" in output


@pytest.mark.parametrize("late", RAISES)
def test_an_exception_is_told_with_its_line(late: str) -> None:
    """It is that of the model's file which was run last."""
    code, told = RAISES[late]
    output = check(code)
    assert told in output
    assert f"(late.py:{LATE})" in output


@pytest.mark.parametrize("command", ["simulate", "fuzz"])
@pytest.mark.parametrize("late", ["a list", "no end"])
def test_walks_tell_it_alike(late: str, command: str) -> None:
    """Walks come to the same state."""
    code, told = BROKEN[late]
    output = check(code, command)
    assert told in output
    assert f"(go is at late.py:{GO})" in output


def test_one_state_is_not_spoken_of_as_several() -> None:
    """Whether it is expanded or not."""
    steps = {
        "raise KeyError": "visited 1 state; it is not",
        "yield s": "the only state",
    }
    for number, (step, told) in enumerate(steps.items()):
        text = MODEL.replace("s.value < 3", "s.value > 3").replace("LATE", step)
        Path(f"one{number}.py").write_text(text)
        assert told in run("check", f"one{number}.py", "--no-cache").stdout


@pytest.mark.parametrize("engine", ["breadth-first", "naive", "numpy-walk", "spark"])
def test_a_claim_without_an_answer_is_no_violation(engine: str) -> None:
    """A branch without `return` is a mistake of the model's author."""
    claim = """
@model.always
def small(s: Counter) -> bool:
    if s.value < 3:
        return True
"""
    Path("late.py").write_text(MODEL.replace("LATE\n", "yield s\n") + claim)
    done = run("check", "late.py", "--no-cache", "--engine", engine)
    assert done.exit_code == 75, done.output
    told = "small raised TypeError: its answer is None: end each of its branches by"
    assert told in done.stdout
    assert "`return` (late.py:" in done.stdout


def test_an_error_without_a_message_is_told_by_its_class() -> None:
    """Without a colon that leads to nothing."""
    Path("late.py").write_text(MODEL.replace("LATE", "raise KeyError"))
    assert "go raised KeyError (late.py:" in run("check", "late.py").stdout


CLAIM = """
{decorator}
def asks_late(s: Counter) -> bool:
    if s.value == 2:
        raise KeyError
    return {answer}
"""
GOAL = """
def is_asked(s: Counter) -> bool:
    return True

model.leads_to(is_asked, asks_late)
"""
RAISING_ACTION = """
@model.fault
def asks_late(s: Counter) -> Iterator[Counter]:
    yield s
    if s.value == 2:
        raise KeyError
"""
RAISING = {
    "an invariant": CLAIM.format(decorator="@model.always", answer=True),
    "a witness": CLAIM.format(decorator="@model.sometimes", answer=False),
    "a constraint": CLAIM.format(decorator="@model.constraint", answer=True),
    "a claim about runs": CLAIM.format(
        decorator="@model.eventually_always", answer=True
    ),
    "a goal": CLAIM.format(decorator="", answer=False) + GOAL,
    "an action behind its steps": RAISING_ACTION,
}


@pytest.mark.parametrize("raising", RAISING)
def test_a_saved_run_to_an_exception_still_ends_with_it(raising: str) -> None:
    """Whatever raises; the code of the replay is that of an error in the model."""
    steps = MODEL.replace("LATE\n", "yield s\n")
    Path("late.py").write_text(steps + RAISING[raising])
    claims = ("--livelocks",) if raising in ("a claim about runs", "a goal") else ()
    found = run("check", "late.py", "--no-cache", "--traces", "kept", *claims)
    assert found.exit_code == 75, found.output
    (file,) = Path("kept").iterdir()
    again = run("trace", "replay", str(file), "--model", "late.py")
    assert again.exit_code == 75, again.output
    assert "still violates: state 3 breaks asks_late: KeyError" in again.stdout


def test_a_search_from_a_state_of_the_page_tells_of_an_exception() -> None:
    """With the whole run to the state on which the function raised."""
    Path("late.py").write_text(MODEL.replace("LATE", "raise KeyError"))
    overrides = Overrides("breadth-first")
    (task,) = tasks(Catalogue.shipped(), ("late.py",), overrides)
    found = BrowserApi.of(task).search(["go"])
    assert found["failure"]["text"] == f"ERROR go raised KeyError (late.py:{LATE})"
    assert found["failure"]["steps"] == ["go", "go", "go"]


def test_a_search_from_a_state_of_the_page_without_an_exception_tells_of_none() -> None:
    """The model stops instead."""
    Path("late.py").write_text(MODEL.replace("LATE", "return"))
    overrides = Overrides("breadth-first")
    (task,) = tasks(Catalogue.shipped(), ("late.py",), overrides)
    assert BrowserApi.of(task).search(["go"])["failure"] is None
