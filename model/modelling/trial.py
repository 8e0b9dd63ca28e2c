"""A trial of a model in its first state: what is wrong there is told with its place.

Engines refuse the same where they come to it. Here each function is run as Python, once
for each of its first arguments, so that most mistakes are told before a search begins.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product
from typing import Any

import attrs

from replicheck.model.modelling.cell_values import (
    require_annotated,
    require_cell_value,
    require_constant,
)
from replicheck.model.modelling.containers import Bag
from replicheck.model.modelling.errors import ModellingError, error_at, with_article
from replicheck.model.modelling.signatures import parameters_of
from replicheck.model.modelling.symmetry import WITHIN
from replicheck.model.modelling.values import State

MOST_CALLS = 200
"""Of each function."""
MOST_STEPS = 100_000
"""Of one state, as engines have it."""
Domains = Mapping[object, tuple[object, ...]]


def try_actions(
    state: State,
    actions: Iterable[Callable[..., Any]],
    domains: Domains,
) -> None:
    """Take every action once, and look at the states that it yields.

    Raises:
        ModellingError: for the first that an engine could not explore.
    """
    for action in actions:
        _require_states(action, 1)
        for arguments in _arguments(action, domains):
            found = [*islice(_taken(action, state, arguments), MOST_STEPS + 1)]
            if len(found) > MOST_STEPS:
                raise error_at(
                    action,
                    f"{action.__name__} yields more than {MOST_STEPS:,} next states of"
                    " one state: end its loop",
                )
            for after in found:
                _require_next_state(action, state, after)
            if found != [*_taken(action, state, arguments)]:
                raise error_at(
                    action,
                    f"{action.__name__} gives other next states when it is run again:"
                    " an action reads nothing but its parameters",
                )


def try_predicates(
    state: State,
    predicates: Iterable[Callable[..., Any]],
    domains: Domains,
    states: int = 1,
) -> None:
    """Ask every predicate, a step property of a step that changes nothing.

    Args:
        states: so many states a predicate takes.

    Raises:
        ModellingError: for the first whose answer is neither true nor false.
    """
    for predicate in predicates:
        _require_states(predicate, states)
        for arguments in _arguments(predicate, domains):
            try:
                answer = predicate(*[state] * states, **arguments)
            except Exception:
                break
            if not isinstance(answer, int):
                raise error_at(
                    predicate,
                    f"{predicate.__name__} returns {with_article(answer)}, expected"
                    " True or False: write `return CONDITION`",
                )


def _require_states(function: Callable[..., Any], states: int) -> None:
    """Refuse a function of another number of states.

    Raises:
        ModellingError: naming it.
    """
    behind = parameters_of(function)
    count = len(inspect.signature(function).parameters) - len(behind)
    if count != states:
        raise error_at(
            function,
            f"{function.__name__} takes {_states(count)}, expected {_states(states)}:"
            " what `every_step` claims is of the states before and after a step, all"
            " else is of one state",
        )

    if list(inspect.signature(function).parameters)[states:] != list(behind):
        names = ["before: S", "after: S"] if states == 2 else ["s: S"]
        names += [f"{name}: {_name(kind)}" for name, kind in behind.items()]
        raise error_at(
            function,
            f"{function.__name__} has {next(iter(behind))} before its"
            f" {'states' if states == 2 else 'state'}, which come first: write"
            f" `def {function.__name__}({', '.join(names)})`, where S is the class of"
            " states",
        )


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _states(count: int) -> str:
    return "one state" if count == 1 else f"{count} states"


def require_bags(function: Callable[..., Any], state: State) -> None:
    """Refuse a state with a bag that lacks copies of its items.

    Raises:
        ModellingError: naming the function that made it, and how to make one.
    """
    for field in attrs.fields(type(state)):
        for bag in _bags_in(getattr(state, field.name)):
            if not _are_copies(bag.copies):
                raise error_at(
                    function,
                    f"{function.__name__} gives {field.name} a Bag without all copies"
                    " of its items, (item, 1) to (item, n): write `Bag().add(item)`",
                )


def require_cell_values(function: Callable[..., Any], state: State) -> None:
    """Refuse a state that holds what can change, such as a list, or a float.

    Raises:
        ModellingError: naming the function that made it, and the field.
    """
    for field in attrs.fields(type(state)):
        value = getattr(state, field.name)
        if field.eq:
            require_cell_value(function, field.name, value, value)
        else:
            require_constant(function, field.name, value)


def _bags_in(value: object) -> Iterator[Bag[Any]]:
    if isinstance(value, Bag):
        yield value
    for part in value if isinstance(value, tuple) else ():
        yield from _bags_in(part)


def _are_copies(copies: frozenset[Any]) -> bool:
    for copy in copies:
        match copy:
            case (item, int(number)) if number == 1 or (item, number - 1) in copies:
                continue
        return False
    return True


def require_families(
    state: State, families: Mapping[type, tuple[str, ...]], domains: Domains
) -> None:
    """Refuse a symmetry of what is no tuple of a state with an element for each id.

    Raises:
        ModellingError: naming it.
    """
    indexed: dict[str, type] = {}
    for kind, names in families.items():
        if [*domains[kind]] != [*range(len(domains[kind]))]:
            raise error_at(
                kind,
                f"ids of {kind.__name__} are said to be alike, which index tuples, so"
                f" they are 0 to {len(domains[kind]) - 1}; their domain is"
                f" {', '.join(map(str, domains[kind]))}",
            )
        for name in names:
            of = f"model.symmetric({kind.__name__}, {name!r})"
            if indexed.setdefault(name, kind) is not kind:
                raise error_at(
                    kind, f"{of}: that tuple is indexed by {indexed[name].__name__}"
                )
            tuples = _tuples(state, name)
            if not tuples:
                raise error_at(
                    type(state),
                    f"{of} names no tuple of {type(state).__name__}: ids index tuples;"
                    " `field[]` is each tuple within that of a field",
                )
            if {len(domains[kind])} != set(map(len, tuples)):
                raise error_at(
                    type(state),
                    f"{of} names a tuple with {len(tuples[0])} elements, and there are"
                    f" {len(domains[kind])} ids: it has to have one for each",
                )


def _tuples(state: State, name: str) -> list[tuple[Any, ...]]:
    """The tuples of a field, or within those; none if one of them is no tuple."""
    field, *levels = name.split(WITHIN)
    found: list[Any] = [getattr(state, field, None)]
    for _ in levels:
        if not all(isinstance(family, tuple) for family in found):
            return []
        found = [element for family in found for element in family]
    return found if all(isinstance(family, tuple) for family in found) else []


def _arguments(
    function: Callable[..., Any],
    domains: Domains,
) -> Iterator[dict[str, object]]:
    behind = parameters_of(function)
    choices = product(*(domains[kind] for kind in behind.values()))
    for chosen in islice(choices, MOST_CALLS):
        yield dict(zip(behind, chosen, strict=True))


def _taken(
    action: Callable[..., Any], state: State, arguments: Mapping[str, object]
) -> Iterator[Any]:
    """Yield what an action yields; what it raises is told by the search, with the run.

    Raises:
        ModellingError: if it changes the state, or gives a family as a whole.
    """
    try:
        yield from action(state, **arguments)
    except attrs.exceptions.FrozenInstanceError as error:
        raise error_at(
            action,
            f"{action.__name__} changes a state, which never changes: write `yield"
            " s.evolve(cell=value)`",
        ) from error
    except TypeError as error:
        if "is a family: give" in str(error):
            raise error_at(
                action,
                f"{action.__name__}: {error}, since a tuple has one cell for each"
                " element and keeps its length; to write all, give"
                " `dict(enumerate(…))`; what grows is a Queue of replicheck.modelling",
            ) from error
    except ModellingError:
        raise
    except Exception:
        return


def _require_next_state(action: Callable[..., Any], before: State, after: Any) -> None:
    if type(after) is not type(before):
        raise error_at(
            action,
            f"{action.__name__} yields {with_article(after)}, expected a state: write"
            " `yield s.evolve(cell=value)`",
        )
    if after is not before and not after.was_evolved_:
        raise error_at(
            action,
            f"{action.__name__} makes a state by {type(before).__name__}(…) or"
            " attrs.evolve, which reads all of the old one: write `yield"
            " s.evolve(cell=value)`",
        )
    require_bags(action, after)
    for field in attrs.fields(type(before)):
        if field.eq:
            old, new = getattr(before, field.name), getattr(after, field.name)
            require_cell_value(action, field.name, old, new)
    require_annotated(action, after)
