"""A model of one's own: its bounds, beginnings, actions and what is claimed of it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import Any, Generic, TypeVar

from replicheck.model.modelling.errors import ModellingError, error_at
from replicheck.model.modelling.instance import IdRenamings, OwnInstance
from replicheck.model.modelling.values import Bounds, State, require_values
from replicheck.model.protocol import Protocol

B = TypeVar("B")
Beginning = TypeVar("Beginning", bound=Callable[..., State])
ActionT = TypeVar("ActionT", bound=Callable[..., Iterator[Any]])
PredicateT = TypeVar("PredicateT", bound=Callable[..., bool])

Values = str | Callable[[B], Iterable[object]]
"""Values of a parameter's type: the name of a bound that counts ids, or a function."""


MOST_VALUES = 5_000
"""Each value of a parameter is an instance of its action, which an engine learns."""


class NoBounds(Bounds):
    """Bounds of a model that has none."""


class Model(Generic[B]):
    """A model that is written in a file of one's own.

    Functions become part of it by decorators, in the order of the file: ``initial``,
    ``action``, ``fault``, ``always``, ``every_step``, ``sometimes``, ``constraint``.
    """

    def __init__(
        self,
        name: str,
        bounds: type[B] = NoBounds,  # type: ignore[assignment]
        domains: Mapping[type, Values[B]] | None = None,
    ) -> None:
        """Begin a model.

        Args:
            name: what reports call its protocol.
            bounds: a class of `Bounds`.
            domains: for each type of a parameter its values; an enumeration and a
                truth value need none. The name of a bound stands for so many ids.
        """
        self.name = name
        self.bounds = bounds
        self.domains: dict[Any, Values[B]] = dict(domains or {})
        self.initials: dict[str, Callable[[B], State]] = {}
        self.actions: list[Callable[..., Iterator[Any]]] = []
        self.faults: list[Callable[..., Iterator[Any]]] = []
        self.invariants: list[Callable[..., bool]] = []
        self.steps: list[Callable[..., bool]] = []
        self.witnesses: list[Callable[..., bool]] = []
        self.constraints: list[Callable[..., bool]] = []
        self.variants: dict[str, dict[Any, Callable[..., Iterator[Any]]]] = {}
        self.families: dict[type, tuple[str, ...]] = {}

    def initial(self, function: Beginning) -> Beginning:
        """Add a beginning: a function of the bounds; the first is where runs begin."""
        self.initials[function.__name__] = function
        return function

    def action(self, function: ActionT) -> ActionT:
        """Add an action, which yields the next states; none where it is disabled."""
        self._require_generator(function)
        self._add(self.actions, function)
        return function

    def fault(self, function: ActionT) -> ActionT:
        """Add an action that happens from outside, such as a crash."""
        self.action(function)
        self.faults.append(function)
        return function

    def always(self, predicate: PredicateT) -> PredicateT:
        """Claim that a predicate is true in every state."""
        return self._claim(self.invariants, predicate)

    def every_step(self, predicate: PredicateT) -> PredicateT:
        """Claim that a predicate of two states is true of every step."""
        return self._claim(self.steps, predicate)

    def sometimes(self, predicate: PredicateT) -> PredicateT:
        """Claim that a predicate is true in some state."""
        return self._claim(self.witnesses, predicate)

    def constraint(self, predicate: PredicateT) -> PredicateT:
        """Expand no state in which a predicate is false."""
        return self._claim(self.constraints, predicate)

    def variant(
        self, name: str, replace: Mapping[ActionT, Callable[..., Iterator[Any]]]
    ) -> None:
        """Add a variant, in which some actions are replaced by others."""
        for old, new in replace.items():
            self._require_generator(new)
            if old not in self.actions:
                raise error_at(
                    old, f"{old.__name__} is no action, so no variant can replace it"
                )
        self.variants[name] = dict(replace)

    def symmetric(self, kind: type, *families: str) -> None:
        """Say that ids of a class are all alike, and which fields they index."""
        if kind not in self.domains:
            raise ModellingError(
                f"the model {self.name} has no domain of {kind.__name__}, whose ids are"
                " said to be alike: name it in `domains`"
            )
        self.families[kind] = families

    def protocols(self) -> tuple[Protocol, tuple[Protocol, ...]]:
        """Protocol of the actions, and those of the variants."""
        whole = Protocol(self.name, tuple(self.actions))
        variants = []
        for name, replaced in self.variants.items():
            variant = whole
            for old, new in replaced.items():
                variant = variant.replacing(old, by=new)
            variants.append(variant.named(name).mutating(whole))
        return whole, tuple(variants)

    def instance(self, protocol: Protocol, bounds: B) -> OwnInstance:
        """Model under a protocol within bounds, from its first beginning.

        Raises:
            ModellingError: if it is not written as it can be explored.
        """
        domains = self._domains(bounds)
        return OwnInstance(
            self.name,
            protocol,
            bounds,
            self.start(bounds),
            domains,
            tuple(self.constraints),
            IdRenamings(self.families, domains),
        )

    def start(self, bounds: B) -> State:
        """State of the first beginning.

        Raises:
            ModellingError: if there is none, or it is no state.
        """
        function = self._first_beginning()
        state = function(bounds)
        if not isinstance(state, State):
            raise error_at(
                function,
                f"{function.__name__} returns a {type(state).__name__}, expected a"
                " state: a class derived from replicheck.modelling.State",
            )
        require_values(type(state))
        return state

    def place(self) -> tuple[str, str]:
        """File where it is written, and its name in it, empty if it is the only one.

        Raises:
            ModellingError: if it has no beginning.
        """
        names = self._first_beginning().__globals__
        models = [key for key, value in names.items() if isinstance(value, Model)]
        name = next((key for key in models if names[key] is self), "")
        return str(names["__file__"]), name if len(models) > 1 else ""

    def _first_beginning(self) -> Callable[[B], State]:
        if not self.initials:
            raise ModellingError(
                f"the model {self.name} has no beginning: write"
                " `@model.initial` above a function of the bounds that returns a state"
            )
        return next(iter(self.initials.values()))

    def _domains(self, bounds: B) -> dict[object, tuple[object, ...]]:
        found: dict[object, tuple[object, ...]] = {bool: (False, True)}
        for kind, values in self.domains.items():
            listed = (
                range(getattr(bounds, values))
                if isinstance(values, str)
                else values(bounds)
            )
            is_plain = not isinstance(kind, type) or issubclass(kind, Enum)
            few = tuple(islice(listed, MOST_VALUES + 1))
            if len(few) > MOST_VALUES:
                raise ModellingError(
                    f"the model {self.name} has more than {MOST_VALUES:,} values of"
                    f" {getattr(kind, '__name__', kind)}: choose smaller bounds"
                )
            found[kind] = tuple(
                value if is_plain or isinstance(value, kind) else kind(value)
                for value in few
            )
        for function in self._functions():
            for name, hint in _parameters(function).items():
                if isinstance(hint, type) and issubclass(hint, Enum):
                    found.setdefault(hint, tuple(hint))
                if hint not in found:
                    self._refuse_parameter(function, name, hint)
        return found

    def _refuse_parameter(
        self, function: Callable[..., Any], name: str, hint: Any
    ) -> None:
        kind = getattr(hint, "__name__", hint)
        raise error_at(
            function,
            f"{function.__name__} has the parameter {name}: {kind}, and nothing says"
            f' which values that has: write domains={{{kind}: "NAME OF A BOUND"}} in'
            f" Model(…), or a function of the bounds",
        )

    def _functions(self) -> Iterator[Callable[..., Any]]:
        yield from self.actions
        for replaced in self.variants.values():
            yield from replaced.values()
        yield from self.constraints
        yield from self.invariants
        yield from self.steps
        yield from self.witnesses

    def _claim(
        self, claims: list[Callable[..., bool]], predicate: PredicateT
    ) -> PredicateT:
        if predicate.__name__ == "<lambda>":
            raise error_at(
                predicate,
                "a property is a lambda, which has no name for reports: write a"
                " function with a sentence as its name",
            )
        self._add(claims, predicate)
        return predicate

    def _add(self, known: list[Any], function: Callable[..., Any]) -> None:
        for other in self._functions():
            if other.__name__ == function.__name__:
                raise error_at(
                    function,
                    f"there is a function {function.__name__} in the model already:"
                    " give this one another name",
                )
        known.append(function)

    def _require_generator(self, function: Callable[..., Any]) -> None:
        if not inspect.isgeneratorfunction(function):
            raise error_at(
                function,
                f"{getattr(function, '__name__', function)} returns its next state:"
                " write `yield s.evolve(…)`, and no yield where it is disabled",
            )


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Parameters behind the states, with their types."""
    hints = typing.get_type_hints(function)
    names = list(inspect.signature(function).parameters)
    behind = [n for n in names if not _is_state(hints.get(n))]
    missing = [name for name in behind if name not in hints]
    if missing:
        raise error_at(
            function,
            f"{function.__name__} says no type of {missing[0]}: annotate it",
        )
    return {name: hints[name] for name in behind}


def _is_state(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, State)
