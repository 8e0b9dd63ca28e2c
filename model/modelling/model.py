"""A model of one's own: its bounds, beginnings, actions and what is claimed of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from replicheck.model.modelling.domains import Values, domains_of
from replicheck.model.modelling.errors import ModellingError, error_at
from replicheck.model.modelling.instance import IdRenamings, OwnInstance
from replicheck.model.modelling.trial import (
    require_families,
    try_actions,
    try_predicates,
)
from replicheck.model.modelling.values import Bounds, State, require_values
from replicheck.model.protocol import Protocol

B = TypeVar("B")
InitialT = TypeVar("InitialT", bound=Callable[..., State])
ActionT = TypeVar("ActionT", bound=Callable[..., Iterator[Any]])
PredicateT = TypeVar("PredicateT", bound=Callable[..., bool])


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

    def initial(self, function: InitialT) -> InitialT:
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
        """Protocol of the actions, and the protocols of the variants."""
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
        function = self._first_initial()
        if len(inspect.signature(function).parameters) != 1:
            raise error_at(
                function,
                f"{function.__name__} is a beginning: expected one parameter, the"
                f" bounds: {self.bounds.__name__}",
            )
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
        names = self._first_initial().__globals__
        models = [key for key, value in names.items() if isinstance(value, Model)]
        name = next((key for key in models if names[key] is self), "")
        return str(names["__file__"]), name if len(models) > 1 else ""

    def _first_initial(self) -> Callable[[B], State]:
        if not self.initials:
            raise ModellingError(
                f"the model {self.name} has no beginning: write"
                " `@model.initial` above a function of the bounds that returns a state"
            )
        return next(iter(self.initials.values()))

    def try_out(self) -> None:
        """Run every function once in the first state, within the default bounds.

        Raises:
            ModellingError: for the first that is not written as it can be explored.
        """
        bounds = self.bounds()
        state, domains = self.start(bounds), self._domains(bounds)
        if not self.actions:
            raise ModellingError(
                f"the model {self.name} has no action: write `@model.action` above a"
                " function of a state that yields the next ones"
            )
        require_families(state, self.families)
        variants = [new for known in self.variants.values() for new in known.values()]
        try_actions(state, [*self.actions, *variants], domains)
        claims = (*self.invariants, *self.steps, *self.witnesses, *self.constraints)
        try_predicates(state, claims, domains)

    def _domains(self, bounds: B) -> dict[object, tuple[object, ...]]:
        return domains_of(self.name, self.domains, bounds, self._functions())

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
                " function whose name says what holds",
            )
        self._add(claims, predicate)
        return predicate

    def _add(self, known: list[Any], function: Callable[..., Any]) -> None:
        for present in self._functions():
            if present.__name__ == function.__name__:
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
