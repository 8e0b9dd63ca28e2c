"""A cell holds what it is annotated with, as far as that is certain."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, NewType, Protocol, TypeVar

import attrs
import pytest

from command_line.own_models import run
from replicheck.modelling import Bag, Id, Map, Optional, Queue, Set, State, Value

ItemT = TypeVar("ItemT")
Serial = NewType("Serial", int)


class Server(Id):
    """Servers."""


class Light(Enum):
    """What no number stands for."""

    RED = 1


class Priority(IntEnum):
    """What a number stands for."""

    LOW = 1


class RowNumber(NamedTuple):
    """Records of Python."""

    row: int


class Sized(Protocol):
    """What has a length; not to be asked whether a value has."""

    def __len__(self) -> int: ...


@attrs.frozen
class VoteRequest:
    """Messages, whose fields are annotated, too."""

    kind: str
    sender: Server


class Urgent(VoteRequest):
    """Messages of a class derived from another."""


class VoteTrack(Queue[VoteRequest]):
    """A queue that says of what."""


class Pairs(Value, Generic[ItemT]):
    """What has a class as its argument, and hands it on."""

    both: Queue[tuple[ItemT, ItemT]] = Queue()


class Chain(Value):
    """What has itself in it."""

    before: frozenset[Chain] = frozenset()
    number: int = 0


class AnnotatedCells(State):
    """A cell of each kind."""

    number: int
    name: str
    is_up: bool
    server: Server
    serial: Serial
    light: Light
    mode: Literal["on", "off"]
    leader: Server | None
    ids: frozenset[Server]
    places: frozenset[RowNumber]
    pairs: frozenset[tuple[int, str]]
    paths: frozenset[tuple[int, ...]]
    inbox: Queue[VoteRequest]
    track: VoteTrack
    network: Set[VoteRequest]
    bag: Bag[VoteRequest]
    votes: Map[Server, bool]
    lease: Optional[Server]
    both: Pairs[int]
    chain: Chain
    table: tuple[tuple[Server, ...], ...]
    mixed: tuple[int, str]
    anything: Any
    thing: object
    sized: Sized
    call: Callable[[], int]
    key: Hashable
    bare: frozenset  # type: ignore[type-arg]
    queue: Queue  # type: ignore[type-arg]


SENT = VoteRequest("vote", Server(1))
UNFIT = VoteRequest("vote", 1)  # type: ignore[arg-type]

ALLOWED: list[tuple[str, object]] = [
    *(("number", value) for value in (7, True, Server(1), Priority.LOW)),
    ("name", ""),
    ("is_up", False),
    ("server", Server(1)),
    ("serial", 3),
    ("light", Light.RED),
    ("mode", "off"),
    *(("leader", value) for value in (None, Server(1))),
    ("ids", frozenset({Server(1)})),
    ("places", frozenset({RowNumber(1)})),
    ("pairs", frozenset({(1, "a")})),
    ("paths", frozenset({(), (1, 2, 3)})),
    ("inbox", Queue((SENT, Urgent("vote", Server(2))))),
    ("track", VoteTrack((SENT,))),
    ("network", Set(frozenset({SENT}))),
    ("bag", Bag[VoteRequest]().add(SENT).add(SENT)),
    ("votes", Map[Server, bool]().put(Server(1), True)),
    *(("lease", value) for value in (Optional(), Optional(Server(1)))),
    ("both", Pairs(Queue(((1, 2),)))),
    ("chain", Chain(frozenset({Chain()}))),
    ("table", Server(0)),
    *(("mixed", value) for value in (1, "a")),
    *((name, 1.5) for name in ("anything", "thing", "sized", "call", "key")),
    ("bare", frozenset({1, "a"})),
    ("queue", Queue((1, "a"))),
]
REFUSED: list[tuple[str, object, str]] = [
    (
        "number",
        "1",
        "the cell `number` holds '1' (a str), and `AnnotatedCells.number` is annotated"
        " as int: write another value, or change the annotation",
    ),
    ("number", None, "holds None, and"),
    ("name", 1, "holds 1 (an int), and `AnnotatedCells.name` is annotated as str"),
    ("is_up", 1, "annotated as bool: write another value, or change the annotation"),
    ("server", 1, "annotated as Server: write `Server(1)`, or change the annotation"),
    ("serial", "a", "annotated as Serial"),
    ("light", 1, "annotated as Light: write another value"),
    ("mode", "of", "annotated as Literal['on', 'off']"),
    ("leader", 1, "annotated as Server | None"),
    (
        "ids",
        frozenset({1}),
        "holds frozenset({1}) with 1 (an int) in it where Server is expected, and"
        " `AnnotatedCells.ids` is annotated as frozenset[Server]: write `Server(1)`",
    ),
    (
        "places",
        frozenset({(1,)}),
        "with (1,) (a tuple) in it where RowNumber is expected",
    ),
    ("pairs", frozenset({(1, 2)}), "with 2 (an int) in it where str is expected"),
    ("pairs", frozenset({(1,)}), "(a tuple) in it where tuple[int, str] is expected"),
    ("paths", frozenset({(1, "a")}), "annotated as frozenset[tuple[int, ...]]"),
    ("inbox", Queue((SENT, "a")), "(a str) in it where VoteRequest is expected"),
    ("inbox", Queue((SENT, UNFIT)), "with 1 (an int) in it where Server is expected"),
    ("track", VoteTrack((UNFIT,)), "(an int) in it where Server is expected"),
    ("track", VoteTrack((1,)), "(an int) in it where VoteRequest"),  # type: ignore[arg-type]
    ("network", Set(frozenset({UNFIT})), "annotated as Set[VoteRequest]"),
    ("bag", Bag[Any]().add(UNFIT), "annotated as Bag[VoteRequest]"),
    ("votes", Map[Any, bool]().put(1, True), "(an int) in it where Server is expected"),
    (
        "votes",
        Map[Server, Any]().put(Server(1), 1),
        "(an int) in it where bool is expected",
    ),
    ("lease", Optional(1), "(an int) in it where Server | None is expected"),
    (
        "both",
        Pairs[Any](Queue(((1, "a"),))),
        "with 'a' (a str) in it where int is expected",
    ),
    (
        "chain",
        Chain(frozenset({Chain(number="a")})),  # type: ignore[arg-type]
        "with 'a' (a str) in it where int is expected",
    ),
    ("table", 0, "annotated as tuple[tuple[Server, ...], ...]: write `Server(0)`"),
    ("mixed", None, "annotated as tuple[int, str]"),
    ("bare", 1, "annotated as frozenset"),
]


@pytest.mark.parametrize(("cell", "value"), ALLOWED)
def test_what_a_cell_may_hold(cell: str, value: object) -> None:
    """What is derived from a class is of it, and what is not certain is let through."""
    assert AnnotatedCells.fault_in_cell_(cell, value) == ""


@pytest.mark.parametrize(("cell", "value", "message"), REFUSED)
def test_what_a_cell_may_not_hold(cell: str, value: object, message: str) -> None:
    """With the part of it that is not what is expected there."""
    assert message in AnnotatedCells.fault_in_cell_(cell, value)


MODEL = """
from collections.abc import Iterator
from replicheck.modelling import Model, Queue, Set, State

class Lease(State):
    turn: int = 0
    leader: int = 0
    sent: Set[int] = Set()
    inbox: Queue[int] = Queue()

model = Model("lease")

@model.initial
def free(bounds: object) -> Lease:
    return Lease()

@model.action
def tick(s: Lease) -> Iterator[Lease]:
    if s.turn < 3:
        yield s.evolve(turn=s.turn + 1)

@model.action
def take(s: Lease) -> Iterator[Lease]:
    if s.turn == TURN:
        yield s.evolve(CELL)

@model.always
def is_short(s: Lease) -> bool:
    return s.turn < 4
"""
LINE = MODEL[: MODEL.index("@model.action\ndef take")].count("\n") + 1
WRITES = {
    "leader='n1'": "the cell `leader` holds 'n1' (a str), and `Lease",
    "sent=s.sent.add('a')": "the cell `sent` holds Set(items=frozenset({'a'})) with",
    "inbox=s.inbox.append('a')": "the cell `inbox` holds Queue(items=('a',)) with",
}


def write_model(turn: str, cell: str) -> None:
    """Write the model in which a cell is written at a turn."""
    text = MODEL.replace("TURN", turn).replace("CELL", cell)
    Path("lease.py").write_text(text, "utf-8")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("engine", ["breadth-first", "naive"])
@pytest.mark.parametrize("write", WRITES)
def test_every_engine_refuses_it_where_it_shows(write: str, engine: str) -> None:
    """With the function that writes it, and code 75."""
    write_model("2", write)
    done = run("check", "lease.py", "--engine", engine)
    assert done.exit_code == 75
    output = " ".join(done.output.split())
    assert WRITES[write] in output
    assert f"(take is at lease.py:{LINE})" in output


@pytest.mark.usefixtures("folder")
def test_it_is_refused_in_the_first_step_when_the_model_is_loaded() -> None:
    """With code 151, as what else is written in a way that cannot be explored."""
    write_model("0", "leader='n1'")
    done = run("check", "lease.py")
    assert done.exit_code == 151
    assert f"lease.py:{LINE}: after take the cell `leader` holds 'n1'" in done.stderr
