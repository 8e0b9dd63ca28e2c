"""Parts of claims about sets: what an invariant says of each item, said of some.

An invariant that says something of each message reads all of them, so that it would be
learned anew for each set of messages. A part of it says so of some items.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from types import FunctionType
from typing import Any, cast

from attrs import define, evolve, field

from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.learning.parts.parted_functions import (
    MOST,
    CellWithSet,
    goes_over,
    split_sets_of,
)
from replicheck.explorer.model import Predicate
from replicheck.explorer.properties import Kind
from replicheck.explorer.proxies.calls import QuestionRaised, evaluate_call
from replicheck.explorer.proxies.loops.claimed_loops import (
    ClaimedLoop,
    claimed_loops,
    written_with_choice,
)
from replicheck.explorer.proxies.loops.source_tree import with_choice
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.split_layout import SplitLayout
from replicheck.explorer.states.value_parts import FILTERED


class _CannotBeParted(Exception):
    """What a loop says of one item may show to another: the claim is asked itself."""


def claimed_over(
    function: LearnedFunction, sets: Collection[CellWithSet]
) -> tuple[ClaimedLoop, ...]:
    """The loops over some sets by which a claim has parts; none if it has no parts."""
    plain = function.instance.function
    if not isinstance(plain, FunctionType) or not _is_claimed(function):
        return ()
    loops = claimed_loops(plain.__code__)
    if not loops or not {"all", "any"}.isdisjoint(plain.__globals__):
        return ()
    return tuple(loop for loop in loops if any(goes_over(loop, *of) for of in sets))


def _is_claimed(function: LearnedFunction) -> bool:
    """Tell whether a function holds if all of its parts do."""
    claim = function.property
    is_invariant = claim is not None and claim.kind is Kind.ALWAYS
    return is_invariant or function.role is Role.CONSTRAINT


def with_parts_of_claims(
    functions: Sequence[LearnedFunction], layout: SplitLayout
) -> list[LearnedFunction]:
    """Functions in their order, in place of some claims the parts of these."""
    names = {name for of in layout.set_encodings.values() for name in of.parted}
    sets = split_sets_of(layout)
    loops = [
        claimed_over(function, sets) if function.instance.name in names else ()
        for function in functions
    ]
    claims = sum(map(bool, loops))
    found: list[LearnedFunction] = []
    for function, over in zip(functions, loops, strict=True):
        if not over:
            found.append(function)
            continue
        most = max(layout.set_encodings[loop.field].parts for loop in over)
        found += parts_of_claim(function, over, min(most, MOST // claims or 1))
    return found


def parts_of_claim(
    function: LearnedFunction, loops: tuple[ClaimedLoop, ...], count: int
) -> list[LearnedFunction]:
    """The parts of a claim, so many, each of which says what it says of some items."""
    whole = cast(FunctionType, function.instance.function)
    numbers = _Numbers()
    made = []
    for number in range(count):
        keeps = _ItemsOfPart(number, count, numbers)
        part = _part(whole, loops, keeps)
        made.append(evolve(function, instance=evolve(function.instance, function=part)))
    return made


class _Numbers(dict[Any, int]):
    """A number for each item, which does not depend on what else is there."""

    def __init__(self) -> None:
        super().__init__()
        self._hasher = Hasher()

    def __missing__(self, item: Any) -> int:
        number = self[item] = self._hasher.value(item)
        return number


@define(eq=False)
class _ItemsOfPart:
    """Tells which items a part is about, as a filter of a loop does."""

    number: int
    count: int
    numbers: Mapping[Any, int] = field(repr=False)
    compares_items = False

    def __call__(self, item: Any) -> bool:
        return self.numbers[item] % self.count == self.number


def _part(
    whole: FunctionType, loops: Sequence[ClaimedLoop], keeps: Callable[[Any], bool]
) -> Predicate:
    """The part of a claim that says it of some items.

    Where it comes to no answer, that of the claim itself is its answer.
    """
    code = written_with_choice(whole.__code__, tuple(loops))

    def choice(number: int, iterated: Any) -> Iterable[Any]:
        """The items of a set that the part is about."""
        if not loops[number].is_parted_in(sys._getframe(1)):
            raise _CannotBeParted
        is_set = isinstance(iterated, frozenset)
        items = iterated if is_set else getattr(iterated, iterated.MEMBERS)
        found: Iterable[Any] = evaluate_call(items, (FILTERED, (keeps,)))
        return found

    restricted = with_choice(whole, code, choice)

    @wraps(whole)
    def part(*arguments: Any) -> Any:
        try:
            answer = restricted(*arguments)
        except (Exception, QuestionRaised):
            answer = None
        return whole(*arguments) if answer is None else answer

    return part
