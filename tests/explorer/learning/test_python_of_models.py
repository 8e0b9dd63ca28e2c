"""Models are ordinary Python: what works on a state works on the view of one.

Each action here does something to cells in another way that Python has for it; the
naive engine, which knows no views, says what is right.
"""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

import attrs
import pytest

import toys
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.model.protocol import Action
from searches.desk import Amount, Crate, Desk, Steps


def argument_by_name(desk: Desk) -> Steps:
    """Of a question, and of an operation."""
    if desk.v.is_below(limit=3):
        yield desk.evolve(v=desk.v.up(by=1))


def argument_by_name_only(desk: Desk) -> Steps:
    """As the class demands it."""
    if desk.v.is_below(2, strictly=False):
        yield desk.evolve(v=desk.v.up().up(by=2))


def argument_without_hash(desk: Desk) -> Steps:
    """A list and a set."""
    if desk.v.is_in([0, 1]) or desk.v.is_in({2, 3}):
        yield desk.evolve(v=desk.v.up_by_all([1, 1]))


def cell_as_argument(desk: Desk) -> Steps:
    """Of the question of another cell."""
    if desk.w.n < 2:
        yield desk.evolve(w=desk.w.up())
    if desk.v.is_less(desk.w):
        yield desk.evolve(v=desk.v.up())


def cells_in_an_argument(desk: Desk) -> Steps:
    """Within a tuple, and within a frozen value."""
    if desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())
    if not desk.box.holds((desk.v, frozenset({desk.w}))):
        yield desk.evolve(box=desk.box.put((desk.v, frozenset({desk.w}))))
    if desk.box.holds((desk.v, frozenset({desk.w}))):
        yield desk.evolve(w=desk.v)
    if not desk.box.holds(Crate(desk.v)):
        yield desk.evolve(box=desk.box.put(Crate(desk.v)))


class NamedPair(NamedTuple):
    """Two of anything."""

    first: object
    second: object


def cells_in_a_named_tuple(desk: Desk) -> Steps:
    """Asked for, and written."""
    if desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())
    if not desk.box.holds(NamedPair(desk.v, desk.w)):
        yield desk.evolve(box=desk.box.put(NamedPair(desk.v, desk.w)))
    elif desk.w.n < 2:
        yield desk.evolve(w=desk.w.up())


def family_as_argument(desk: Desk) -> Steps:
    """As a tuple."""
    if desk.family[0].n < 2:
        yield desk.evolve(family={0: desk.family[0].up()})
    if not desk.box.holds(desk.family):
        yield desk.evolve(box=desk.box.put(desk.family))


def cells_in_what_is_written(desk: Desk) -> Steps:
    """They are the values then."""
    if desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())
    yield desk.evolve(box=Crate((desk.v, desk.family)))


def order(desk: Desk) -> Steps:
    """Of cells, and of a cell and a value."""
    if desk.v < Amount(3):
        yield desk.evolve(v=desk.v.up())
    if Amount(2) > desk.w and desk.w <= desk.v:
        yield desk.evolve(w=desk.w.up())


def equality(desk: Desk) -> Steps:
    """Of cells."""
    if desk.v == desk.w and desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())
    if desk.v != desk.w:
        yield desk.evolve(w=desk.v)


def arithmetic(desk: Desk) -> Steps:
    """From both sides."""
    if desk.v.n < 3:
        yield desk.evolve(v=desk.v + 1, w=1 + desk.v)


def conversions(desk: Desk) -> Steps:
    """To numbers and to texts."""
    if int(desk.v) < 2 and [True, True, False][desk.v]:
        yield desk.evolve(v=desk.v.up())
    if str(desk.v) == "number 2" and f"{desk.w}" == "number 0":
        yield desk.evolve(w=desk.w.up())


def call(desk: Desk) -> Steps:
    """Of a value that can be called."""
    if desk.v(1) < 3:
        yield desk.evolve(v=desk.v.up())


def members_of_the_class(desk: Desk) -> Steps:
    """Asked of a cell."""
    if desk.v.least() <= desk.v.n < desk.v.most() and not desk.v.is_full:
        yield desk.evolve(v=desk.v.up())


def pattern(desk: Desk) -> Steps:
    """By place and by name."""
    match desk.v:
        case Amount(0):
            yield desk.evolve(v=Amount(1))
        case Amount(n=n) if n < 3:
            yield desk.evolve(v=desk.v.up())


def class_of_a_cell(desk: Desk) -> Steps:
    """By ``isinstance``."""
    if isinstance(desk.v, Amount) and isinstance(desk.family, tuple) and desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())


def evolved_from_outside(desk: Desk) -> Steps:
    """By attrs."""
    if attrs.asdict(desk.v)["n"] < 2:
        yield desk.evolve(v=attrs.evolve(desk.v, n=desk.v.n + 1))


def key_of_a_dictionary(desk: Desk) -> Steps:
    """And member of a set."""
    if {desk.v: True}.get(Amount(0)) and desk.w in {Amount(0), Amount(1)}:
        yield desk.evolve(v=desk.v.up(), w=desk.w.up())


def equal_families(desk: Desk) -> Steps:
    """A family is a tuple, on either side."""
    if desk.family == (Amount(), Amount()):
        yield desk.evolve(family={0: desk.family[0].up()})
    if (Amount(1), Amount()) == desk.family:
        yield desk.evolve(family={1: desk.family[1].up()})


def search_in_a_family(desk: Desk) -> Steps:
    """As tuples do it."""
    if Amount() in desk.family and desk.family.count(Amount(1)) < 2:
        yield desk.evolve(family={desk.family.index(Amount()): Amount(1)})


def joined_families(desk: Desk) -> Steps:
    """With each other and with tuples."""
    joined = sum([desk.family, desk.family], (Amount(),))
    if len(joined) == 5 and all(pair.n < 2 for pair in joined):
        yield desk.evolve(family={0: desk.family[0].up()})


def parts_of_a_family(desk: Desk) -> Steps:
    """By slices, from the end, and unpacked."""
    first, last = desk.family
    if first.n < 2 and desk.family[-1].n == last.n:
        yield desk.evolve(family={0: first.up()})
    mirrored = zip(desk.family, desk.family[::-1], strict=True)
    if any(one.n != other.n for one, other in mirrored):
        yield desk.evolve(family=dict(enumerate(reversed(desk.family))))


def sorted_family(desk: Desk) -> Steps:
    """By the order of the values, and by a key."""
    least = sorted(desk.family)[0]
    if max(desk.family, key=lambda number: number.n).n < 2:
        yield desk.evolve(family={0: least.up(), 1: desk.family[0]})


def state_as_a_value(desk: Desk) -> Steps:
    """Compared, in a set, asked for its class, and as an argument."""
    if isinstance(desk, Desk) and desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())
    if desk == Desk(v=Amount(2)) or desk in {Desk(v=Amount(2), w=Amount(1))}:
        yield desk.evolve(w=desk.w.up())
    if desk.v.n < 2 and not desk.box.holds(desk.evolve(box=Crate())):
        yield desk.evolve(box=desk.box.put(desk.evolve(box=Crate())))


def special_methods_of_the_state(desk: Desk) -> Steps:
    """And its other members."""
    v, w = desk.both
    if len(desk) < desk.most():
        yield desk.evolve(v=v.up())
    if 1 in desk and w.n < 2:
        yield desk.evolve(w=w.up())


ACTIONS: tuple[Action, ...] = (
    argument_by_name,
    argument_by_name_only,
    argument_without_hash,
    cell_as_argument,
    cells_in_an_argument,
    cells_in_a_named_tuple,
    family_as_argument,
    cells_in_what_is_written,
    order,
    equality,
    arithmetic,
    conversions,
    call,
    members_of_the_class,
    pattern,
    class_of_a_cell,
    evolved_from_outside,
    key_of_a_dictionary,
    equal_families,
    search_in_a_family,
    joined_families,
    parts_of_a_family,
    sorted_family,
    state_as_a_value,
    special_methods_of_the_state,
)


@pytest.mark.parametrize("sample", [1, 64])
@pytest.mark.parametrize("action", ACTIONS, ids=attrgetter("__name__"))
def test_what_works_on_a_state_works_on_a_view(action: Action, sample: int) -> None:
    """And comes to the same, whether every run is repeated or only some."""
    model = toys.Toy((action,), (Desk(),))
    naive = Naive().explore(model, ())
    fast = BreadthFirst(threads=1, sample=sample).explore(model, ())
    assert naive.failure is fast.failure is None
    assert naive.states > 1
    assert (naive.levels, naive.actions) == (fast.levels, fast.actions)


def by_the_type_of_a_cell(desk: Desk) -> Steps:
    """Reads nothing, and would never be enabled."""
    if type(desk.v) is Amount and desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())


def by_the_type_of_a_family(desk: Desk) -> Steps:
    """The same of a family."""
    if type(desk.family) is tuple and desk.v.n < 2:
        yield desk.evolve(v=desk.v.up())


def by_the_type_of_a_cell_later(desk: Desk) -> Steps:
    """The same, disabled in the first state."""
    if type(desk.v) is Amount and desk.v.n == 2 and desk.w.n < 2:
        yield desk.evolve(w=desk.w.up())


@pytest.mark.parametrize(
    "action",
    [by_the_type_of_a_cell, by_the_type_of_a_family, by_the_type_of_a_cell_later],
    ids=attrgetter("__name__"),
)
def test_what_tells_a_view_from_a_state_is_refused(action: Action) -> None:
    """An action that is told a view's class is named, not taken for disabled."""
    model = toys.Toy((order, action), (Desk(),))
    with pytest.raises(ModelError, match=f"`{action.__name__}` differs"):
        BreadthFirst(threads=1).explore(model, ())


def from_a_state_of_attrs(desk: Desk) -> Steps:
    """Without the method that the contract names."""
    if desk.v.n < 2:
        yield attrs.evolve(desk, v=desk.v.up())


def test_states_are_made_by_the_method_that_the_contract_names() -> None:
    """What else makes one is refused."""
    model = toys.Toy((from_a_state_of_attrs,), (Desk(),))
    with pytest.raises(ModelError, match=r"yields a Desk: expected `state\.evolve"):
        BreadthFirst(threads=1).explore(model, ())
