"""Images of values under all renamings of ids that are alike."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.errors import ModelError
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.symmetry import Images, Product, products
from replicheck.explorer.states.value_parts import SetClass
from replicheck.model.modelling.symmetry import IdRenaming, IdRenamings
from replicheck.modelling import Id, Value


class Rower(Id):
    """One kind of ids that are alike."""


class Oar(Id):
    """Another kind."""


class Stroke(NamedTuple):
    """A value with ids of both kinds."""

    rower: Rower
    oar: Oar


class Boat(Value):
    """A value with all kinds of parts."""

    strokes: tuple[Stroke, ...] = ()
    rested: frozenset[Rower] = frozenset()
    spare: Oar | None = None


ROWERS, OARS = range(3), range(2)
RENAMINGS = [
    *IdRenamings(
        {Rower: ("seats",), Oar: ()},
        {Rower: tuple(map(Rower, ROWERS)), Oar: tuple(map(Oar, OARS))},
    )
]
rowers = st.sampled_from(ROWERS).map(Rower)
oars = st.sampled_from(OARS).map(Oar)
strokes = st.builds(Stroke, rowers, oars)
boats = st.builds(
    Boat,
    st.lists(strokes, max_size=3).map(tuple),
    st.frozensets(rowers),
    oars | st.none(),
)


@given(st.lists(rowers | strokes | boats, min_size=1, max_size=5), st.data())
def test_images_are_what_each_renaming_makes_of_a_value(
    values: list[Any], data: st.DataObject
) -> None:
    """Whichever of the renamings there are, in whatever order."""
    renamings = data.draw(st.lists(st.sampled_from(RENAMINGS), unique=True))
    hasher = Hasher()
    images = Images(renamings, products(renamings), hasher)
    for value in values:
        renamed = [value, *(renaming.value(value) for renaming in renamings)]
        assert [*images.hashes(value)] == [hasher.value(image) for image in renamed]


@given(st.frozensets(strokes, max_size=4))
def test_the_images_of_items_are_the_items_of_renamed_sets(sent: Any) -> None:
    """An item is alone in a tuple."""
    images = Images(RENAMINGS, products(RENAMINGS), hasher := Hasher())
    of_items = images.of_items(SetClass(frozenset))
    rows = [of_items.hashes((item,)) for item in sent]
    for number, renaming in enumerate(RENAMINGS, start=1):
        expected = [hasher.value((item,)) for item in renaming.value(sent)]
        assert sorted(row[number] for row in rows) == sorted(expected)


@frozen
class Turn:
    """A renaming of five places on a bench."""

    by: int
    keeps_full_sets: bool = False

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """No place has a cell of its own."""
        return index

    def value(self, value: Any) -> Any:
        """The place so many further on."""
        if isinstance(value, int):
            return (value + self.by) % 5
        is_kept = self.keeps_full_sets and len(value) > 1
        return value if is_kept else frozenset(map(self.value, value))

    def then(self, after: Turn) -> Turn:
        """The renaming that is this one and then another one."""
        return evolve(self, by=(self.by + after.by) % 5)


@pytest.mark.parametrize(
    ("generator", "turn", "value"),
    [(3, Turn(1), 0), (1, Turn(1, keeps_full_sets=True), frozenset({0, 1}))],
)
def test_renamings_that_are_none_are_refused(
    generator: int, turn: Turn, value: Any
) -> None:
    """Values are compared with what the renaming itself makes of them."""
    turns = [evolve(turn, by=by) for by in range(1, 5)]
    made_of = [Product(1, 0, 1), Product(2, 1, generator)]
    images = Images(turns, [*made_of, Product(3, 2, 1), Product(4, 3, 1)], Hasher())
    with pytest.raises(ModelError, match="renames each item by itself, and `then`"):
        for _ in turns:
            images.of_parts(value)


@pytest.mark.parametrize("count", [1, 2, 4, 6])
def test_few_renamings_make_all_others(count: int) -> None:
    """Each comes once, after the one of which it is made."""
    ids = tuple(map(Rower, range(count)))
    renamings: list[IdRenaming] = [*IdRenamings({Rower: ()}, {Rower: ids})]
    reached, generators = {0}, set()
    for product in products(renamings):
        assert product.earlier in reached
        assert product.number not in reached
        reached.add(product.number)
        generators.add(product.generator)
    assert reached == set(range(1 + len(renamings)))
    assert len(generators) < max(2, count)
