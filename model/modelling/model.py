"""A model: its bounds, beginnings, actions, protocols and what is claimed of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from replicheck.model.modelling.arguments import (
    require_bounds,
    require_class,
    require_domains,
    require_function,
    require_generator,
    require_mapping,
    require_name,
    require_property,
)
from replicheck.model.modelling.errors import ModellingError, error_at, short
from replicheck.model.modelling.run_claims import RunClaim, leads_to
from replicheck.model.protocol import Protocol, ProtocolModel

if TYPE_CHECKING:
    from replicheck.model.modelling.domains import Values
    from replicheck.model.step_reduction import StepReduction

B = TypeVar("B")
InitialT = TypeVar("InitialT", bound=Callable[..., Any])
ActionT = TypeVar("ActionT", bound=Callable[..., Iterator[Any]])
PredicateT = TypeVar("PredicateT", bound=Callable[..., bool])
Predicate = Callable[..., bool]


class Model(Generic[B]):
    """A model, as every command takes it: one in a file, and each that is shipped.

    Functions become part of it by decorators, in the order of the file: ``initial``,
    ``action``, ``fault``, ``always``, ``every_step``, ``sometimes``, ``constraint``,
    ``eventually_always``; ``leads_to`` takes two of them, and ``strongly_fair`` is
    written above an action. A model of many modules gives whole tuples of them:
    ``build_by``, ``begin_in``, ``add_protocols``, ``add_mutations``,
    ``add_reductions``, ``claim``, ``claim_of_runs``, ``add_unfair``.
    """

    def __init__(
        self,
        name: str,
        bounds: type[B] | None = None,
        domains: Mapping[type, Values[B]] | None = None,
    ) -> None:
        """Begin a model.

        Args:
            name: what reports call its protocol.
            bounds: a class of `Bounds`; without one, it has none.
            domains: for each type of a parameter its values; an enumeration and a
                truth value need none. The name of a bound stands for so many ids.
        """
        require_name(name)
        require_bounds(bounds)
        require_domains(domains)
        written = sys._getframe(1)
        self.module: str = written.f_globals.get("__name__", "")
        self.place = f"{short(written.f_code.co_filename)}:{written.f_lineno}"
        self.name = name
        self.bounds = bounds or _no_bounds()
        self.domains: dict[Any, Values[B]] = dict(domains or {})
        self.initials: dict[str, Callable[[B], Any]] = {}
        self.actions: list[Callable[..., Iterator[Any]]] = []
        self.faults: list[Callable[..., Iterator[Any]]] = []
        self.invariants: list[Predicate] = []
        self.steps: list[Predicate] = []
        self.witnesses: list[Predicate] = []
        self.run_claims: list[RunClaim] = []
        self.strong: list[Callable[..., Iterator[Any]]] = []
        self.unfair: list[Callable[..., Iterator[Any]]] = []
        self.constraints: list[Predicate] = []
        self.variants: dict[str, dict[Any, Callable[..., Iterator[Any]]]] = {}
        self.families: dict[type, tuple[str, ...]] = {}
        self.protocols: list[Protocol] = []
        self.mutations: list[Protocol] = []
        self.reductions: list[StepReduction] = []
        self.needs: dict[Predicate, tuple[str, ...]] = {}
        self.instances: Callable[[Protocol, B], ProtocolModel] | None = None
        self.state: type | None = None
        self.describer: object = None
        self._names: set[str] = set()

    def initial(self, function: InitialT) -> InitialT:
        """Add a beginning: a function of the bounds; the first is where runs begin."""
        require_function(function)
        self.initials[function.__name__] = function
        return function

    def action(self, function: ActionT) -> ActionT:
        """Add an action, which yields the next states; none where it is disabled."""
        require_generator(function)
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

    def eventually_always(self, predicate: PredicateT) -> PredicateT:
        """Claim that a fair run fulfils a predicate from some state on, for ever."""
        require_property(predicate)
        self._claim_of_runs(RunClaim(predicate), predicate)
        return predicate

    def leads_to(self, condition: Predicate, goal: Predicate) -> None:
        """Claim that what fulfils a condition is followed by what fulfils a goal.

        Each fair run does, for each choice of parameters; the goal has no others than
        the condition.
        """
        for predicate in (condition, goal):
            require_property(predicate)
        self._claim_of_runs(leads_to(condition, goal), condition)

    def strongly_fair(self, function: ActionT) -> ActionT:
        """Say that an action is taken if it is enabled again and again.

        Any other action, but a fault, is taken if it stays enabled.
        """
        require_function(function)
        self.strong.append(function)
        return function

    def add_unfair(self, *actions: Callable[..., Iterator[Any]]) -> None:
        """Say which actions but faults may be left out for ever, such as a client's."""
        for action in actions:
            require_function(action)
        self.unfair += actions

    def claim_of_runs(self, *claims: RunClaim) -> None:
        """Claim what fair runs do that go on for ever."""
        for claim in claims:
            self._claim_of_runs(claim, claim.condition)

    def constraint(self, predicate: PredicateT) -> PredicateT:
        """Expand no state in which a predicate is false."""
        return self._claim(self.constraints, predicate)

    def variant(
        self, name: str, replace: Mapping[ActionT, Callable[..., Iterator[Any]]]
    ) -> None:
        """Add a variant, in which some actions are replaced by others."""
        require_name(name)
        require_mapping(replace)
        if name == self.name or name in self.variants:
            raise self.error(
                f"there is a protocol {name} already: give the variant another name"
            )
        if not replace:
            raise self.error(
                f"the variant {name} replaces no action: give it one, with the function"
                " that takes its place"
            )
        for old, new in replace.items():
            require_function(old)
            require_generator(new)
            if old not in self.actions:
                raise error_at(
                    old, f"{old.__name__} is no action, so no variant can replace it"
                )
        self.variants[name] = dict(replace)

    def symmetric(self, kind: type, *families: str) -> None:
        """Say that ids of a class are all alike, and which tuples they index.

        Args:
            families: ``"field"`` names the tuple in a field, ``"field[]"`` each tuple
                within that.
        """
        require_class(kind, "is said to be symmetric")
        if kind not in self.domains:
            raise self.error(
                f"the model {self.name} has no domain of {kind.__name__}, whose ids are"
                " said to be alike: name it in `domains`"
            )
        self.families[kind] = (*self.families.get(kind, ()), *families)

    def build_by(
        self, instances: Callable[[Protocol, B], ProtocolModel], state: type
    ) -> None:
        """Have instances made by a function of protocol and bounds.

        Args:
            instances: it stands in place of domains, constraints and symmetries here.
            state: the class of their states.
        """
        self.instances, self.state = instances, state

    def begin_in(self, initials: Mapping[str, Callable[[B], Any]]) -> None:
        """Add beginnings by the names under which a scenario chooses one."""
        self.initials.update(initials)

    def add_protocols(self, *protocols: Protocol) -> None:
        """Add protocols beside that of the decorated actions; the first is default."""
        self.protocols += protocols

    def add_mutations(self, *mutations: Protocol) -> None:
        """Add protocols in which a rule is broken on purpose."""
        self.mutations += mutations

    def add_reductions(self, *reductions: StepReduction) -> None:
        """Add ways to take steps together where no property can tell."""
        self.reductions += reductions

    def add_faults(self, *actions: Callable[..., Iterator[Any]]) -> None:
        """Say which actions of the protocols happen from outside."""
        self.faults += actions

    def claim(
        self,
        invariants: Iterable[Predicate] = (),
        steps: Iterable[Predicate] = (),
        witnesses: Iterable[Predicate] = (),
        needs: Mapping[Predicate, tuple[str, ...]] | None = None,
    ) -> None:
        """Claim several properties.

        Args:
            invariants: see ``always``.
            steps: see ``every_step``.
            witnesses: see ``sometimes``.
            needs: bounds of which one must not be 0, lest a property be vacuous.
        """
        for kind, predicates in (
            (self.invariants, invariants),
            (self.steps, steps),
            (self.witnesses, witnesses),
        ):
            for predicate in predicates:
                self._claim(kind, predicate)
        self.needs.update(needs or {})

    def describe_by(self, describer: object) -> None:
        """Have runs told by a `ModelDescriber`.

        Args:
            describer: it, or a reference ``package.module:NAME`` to it, which is
                imported where a run is shown.
        """
        self.describer = describer

    def error(self, problem: str) -> ModellingError:
        """The error that something is missing from it, with its place."""
        return ModellingError(f"{self.place}: {problem}")

    def _claim(self, claims: list[Predicate], predicate: PredicateT) -> PredicateT:
        require_property(predicate)
        self._add(claims, predicate)
        return predicate

    def _claim_of_runs(self, claim: RunClaim, place: Predicate) -> None:
        self._require_new(claim.name, place)
        self.run_claims.append(claim)

    def _add(self, known: list[Any], function: Callable[..., Any]) -> None:
        self._require_new(function.__name__, function)
        known.append(function)

    def _require_new(self, name: str, place: Callable[..., Any]) -> None:
        if name in self._names:
            raise error_at(
                place,
                f"there is a function {name} in the model already:"
                " give this one another name",
            )
        self._names.add(name)


def _no_bounds() -> Any:
    # Imported only here: shipped models have bounds, and states of another base.
    from replicheck.model.modelling.values import NoBounds

    return NoBounds
