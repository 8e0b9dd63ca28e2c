"""Values of `replicheck.modelling` are what Python's own collections are."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.own_queues import ClosableQueue
from random_sets.message_systems import MESSAGES, AskedInbox, Demand, Response
from replicheck.modelling import Bag, Map, Optional, Queue, Set

ITEMS = st.integers(0, 3)
CHANGES = st.lists(st.tuples(st.sampled_from(["in", "out"]), ITEMS))


@given(CHANGES)
def test_a_set_is_a_set(changes: Iterable[tuple[str, int]]) -> None:
    """After any additions and removals both answer alike."""
    found, expected = Set[int](), set[int]()
    for kind, item in changes:
        if kind == "in":
            found = found.add(item)
            expected.add(item)
        else:
            found = found.remove(item)
            expected.discard(item)
    assert found == Set(frozenset(expected))
    assert [found.has(item) for item in range(4)] == [i in expected for i in range(4)]
    assert found.size() == len(expected)
    assert found.has_items() is bool(expected)
    assert [found.has_room(size) for size in range(6)] == [
        len(expected) < size for size in range(6)
    ]
    assert found.clear() == Set()


def as_any(value: Any) -> Any:
    """The value, of which a type checker knows nothing."""
    return value


MESSAGE_SETS = st.frozensets(MESSAGES).map(AskedInbox)
CHOICES = st.sampled_from(
    [
        (object, {}),
        (object, {"number": 1}),
        (Demand, {"caller": 0}),
        (Demand, {"number": 2, "caller": 1}),
        (Response, {"is_late": True}),
    ]
)


@given(MESSAGE_SETS, CHOICES)
def test_where_gives_the_items_of_a_class_with_these_fields(
    messages: AskedInbox, choice: tuple[type, dict[str, int]]
) -> None:
    """It is the set comprehension that says so."""
    kind, fields = choice
    expected = {
        message
        for message in map(as_any, messages.items)
        if attrs.asdict(message).items() >= fields.items() and isinstance(message, kind)
    }
    assert messages.where(kind, **fields) == expected


def test_where_raises_if_an_item_does_not_have_the_field() -> None:
    """So a name that is mistyped does not give an empty set."""
    messages = AskedInbox(frozenset({Demand(1), Response(1)}))
    assert messages.where(Demand, caller=0) == {Demand(1)}
    with pytest.raises(AttributeError, match="caller"):
        messages.where(caller=0)


@given(MESSAGE_SETS, CHOICES)
def test_what_is_asked_by_items_of_a_set_is_asked_of_each_item(
    messages: AskedInbox, choice: tuple[type, dict[str, int]]
) -> None:
    """The law that classes with `BY_ITEM` promise."""
    kind, fields = choice
    alone = [AskedInbox(frozenset({message})) for message in messages.items]
    of_each = frozenset[object]().union(*(of.where(kind, **fields) for of in alone))
    assert messages.where(kind, **fields) == of_each
    numbers = frozenset[int]().union(*(of.numbers(kind) for of in alone))
    assert messages.numbers(kind) == numbers


@given(CHANGES)
def test_a_bag_is_a_counter(changes: Iterable[tuple[str, int]]) -> None:
    """It counts how often an item is in it, and forgets those that are not."""
    found, expected = Bag[int](), Counter[int]()
    for kind, item in changes:
        if kind == "in":
            found = found.add(item)
            expected[item] += 1
        else:
            found = found.remove(item)
            expected -= Counter([item])
    copies = {(item, n + 1) for item in expected for n in range(expected[item])}
    assert found == Bag(frozenset(copies))
    assert found.where(int) == found.where() == frozenset(expected)
    assert [found.count(item) for item in range(4)] == [expected[i] for i in range(4)]
    assert [found.has(item) for item in range(4)] == [i in expected for i in range(4)]
    assert found.size() == expected.total()
    assert found.has_items() is bool(expected)
    assert [found.has_room(size) for size in range(6)] == [
        expected.total() < size for size in range(6)
    ]


@given(st.lists(ITEMS), st.lists(ITEMS))
def test_a_bag_forgets_the_order(first: list[int], second: list[int]) -> None:
    """Equal counts are one value."""
    bags = []
    for items in (first + second, second + first):
        bag = Bag[int]()
        for item in items:
            bag = bag.add(item)
        bags.append(bag)
    assert bags[0] == bags[1]
    assert hash(bags[0]) == hash(bags[1])


@given(CHANGES)
def test_a_queue_is_a_deque(changes: Iterable[tuple[str, int]]) -> None:
    """What was appended first is popped first; of none, both raise."""
    found, expected = Queue[int](), deque[int]()
    for kind, item in changes:
        if kind == "in":
            found = found.append(item)
            expected.append(item)
        elif expected:
            assert found.first() == expected[0]
            found = found.pop()
            expected.popleft()
        else:
            with pytest.raises(IndexError):
                found.first()
    assert found == Queue(tuple(expected))
    assert found.size() == len(expected)
    assert found.has_items() is bool(expected)
    assert found.is_empty() is not bool(expected)
    assert [found.has_room(size) for size in range(6)] == [
        len(expected) < size for size in range(6)
    ]


@given(st.lists(ITEMS), st.booleans())
def test_a_queue_with_more_fields_keeps_them(items: list[int], is_closed: bool) -> None:
    """What is put in or taken out changes nothing else."""
    queue = ClosableQueue(tuple(items), is_closed)
    assert queue.append(1) == ClosableQueue((*items, 1), is_closed)
    assert queue.pop() == ClosableQueue(tuple(items[1:]), is_closed)


@given(st.lists(st.tuples(st.sampled_from(["put", "remove"]), ITEMS, ITEMS)))
def test_a_map_is_a_dict(changes: Iterable[tuple[str, int, int]]) -> None:
    """A key has the value that it was given last."""
    found, expected = Map[int, int](), dict[int, int]()
    for kind, key, value in changes:
        if kind == "put":
            found = found.put(key, value)
            expected[key] = value
        else:
            found = found.remove(key)
            expected.pop(key, None)
    assert found == Map(frozenset(expected.items()))
    assert [found.get(key) for key in range(4)] == [expected.get(k) for k in range(4)]
    assert [found.get(k, 9) for k in range(4)] == [expected.get(k, 9) for k in range(4)]
    assert [found.has(key) for key in range(4)] == [key in expected for key in range(4)]
    assert found.size() == len(expected)
    assert found.has_items() is bool(expected)


@given(st.lists(st.none() | ITEMS))
def test_an_optional_is_a_value_or_none(changes: Iterable[int | None]) -> None:
    """It equals what it was set to last, and nothing once it is cleared."""
    found, expected = Optional[int](), None
    for value in changes:
        found = found.clear() if value is None else found.set(value)
        expected = value
    assert found.content == expected
    assert found.is_there() is (expected is not None)
    assert [found.equals(value) for value in range(4)] == [
        value == expected for value in range(4)
    ]


@pytest.mark.parametrize("value", [Set(), Bag(), Queue(), Map(), Optional()])
def test_each_is_frozen(value: object) -> None:
    """A change makes another value."""
    for field in attrs.fields(type(value)):  # type: ignore[arg-type]
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(value, field.name, ())


@given(CHANGES)
def test_python_s_own_words_ask_the_same(changes: Iterable[tuple[str, int]]) -> None:
    """`in`, `len`, `[…]` and truth are those of what is held."""
    queue, known = Queue[int](), Map[int, str]()
    for kind, item in changes:
        queue = queue.append(item) if kind == "in" else queue
        known = known.put(item, kind)
    assert [queue[index] for index in range(len(queue))] == list(queue.items)
    assert [item in queue for item in range(4)] == [i in queue.items for i in range(4)]
    entries = dict(known.entries)
    assert {key: known[key] for key in range(4) if key in known} == entries
    assert len(known) == len(entries)
    assert (bool(known), bool(queue)) == (bool(entries), bool(queue.items))
    bag, items = Bag[int]().add(1).add(1), Set[int]().add(1)
    assert (1 in bag, 2 in bag, len(bag)) == (True, False, 2)
    assert (1 in items, 2 in items, len(items)) == (True, False, 1)


def test_a_map_is_iterated_by_its_keys() -> None:
    """As a dictionary is."""
    votes = Map[int, str]().put(3, "a").put(1, "b")
    assert sorted(votes) == [1, 3]
    assert {key: votes[key] for key in votes} == {1: "b", 3: "a"}


ENTRIES = st.dictionaries(ITEMS, ITEMS)


def map_of(entries: Mapping[int, int]) -> Map[int, int]:
    """A map that was given its entries one by one, in their order."""
    made = Map[int, int]()
    for key, value in entries.items():
        made = made.put(key, value)
    return made


@given(ENTRIES)
def test_a_map_has_the_views_of_a_dict(entries: dict[int, int]) -> None:
    """So what Python makes of a dictionary, it makes of a map."""
    known = map_of(entries)
    assert known.keys() == entries.keys()
    assert known.items() == entries.items()
    assert Counter(known.values()) == Counter(entries.values())
    assert dict(known) == {**known} == dict(known.items()) == entries


@given(ENTRIES)
def test_equal_maps_give_their_values_in_one_order(entries: dict[int, int]) -> None:
    """Whichever key was put in first."""
    backwards = dict(reversed(entries.items()))
    assert map_of(entries).values() == map_of(backwards).values()


@given(ENTRIES, ENTRIES)
def test_the_right_map_of_a_union_wins(
    left: dict[int, int], right: dict[int, int]
) -> None:
    """As of dictionaries, which may be on the right, too; neither is changed."""
    first, second = map_of(left), map_of(right)
    assert first | second == first | right == map_of(left | right)
    assert (first, second) == (map_of(left), map_of(right))


def test_a_map_is_united_with_maps_only() -> None:
    """Python says so, as it does of a dictionary."""
    with pytest.raises(TypeError, match="unsupported operand"):
        Map[int, int]() | as_any({1})


def test_a_bag_is_iterated_by_where() -> None:
    """Whether an item that is in it twice comes twice is not left to be guessed."""
    bag = Bag[int]().add(1).add(1).add(2)
    with pytest.raises(TypeError, match=r"loop over `where\(\)`, which has each once"):
        iter(bag)
    assert sorted(bag.where()) == [1, 2]


def test_an_optional_is_true_if_its_value_is_there() -> None:
    """Whatever value that is."""
    assert [bool(Optional()), bool(Optional(0)), bool(Optional(1))] == [
        False,
        True,
        True,
    ]
