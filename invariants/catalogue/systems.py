"""The models that a scenario can name, and the properties that go with each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.model.modelling.run_claims import RunClaim
from replicheck.model.protocol import Protocol
from replicheck.model.step_reduction import StepReduction, reduced

if TYPE_CHECKING:
    from replicheck.invariants.describers.model_describer import ModelDescriber

Predicate = Callable[..., bool]

NO_DEADLOCK = "no_deadlock"
"""The invariant of every model that no reachable state is a deadlock."""


@frozen
class System:
    """A model as commands take it, with all that can be chosen of it.

    ``state`` is the class of its states, ``bounds`` an attrs class of integers with
    validators; ``build`` makes the model from a protocol and bounds. ``initials`` make,
    by name, the state in which a scenario can begin, or a tuple of several; the model
    then has a field ``start`` that takes what they make.
    ``describe`` returns the describer, which is needed only where a run is shown.
    ``environment`` are the actions that happen from outside, such as faults; ``strong``
    are those that are taken if they are enabled again and again, ``unfair`` those that
    may be left out for ever, besides the environment. ``run_claims`` are of fair runs
    that go on for ever.
    ``needs`` names, bounds of which one must not be 0, by the property that would be
    vacuously true.
    ``mutations`` are protocols with a rule broken on purpose; ``reductions`` take steps
    together without a word about it from any property. ``digest`` is that of the source
    of a model which does not come with replicheck, and ``references`` say where such
    properties are. ``mentioned`` are annotations and classes of its values, besides
    what those of its state name.
    """

    name: str
    state: type
    bounds: type
    protocols: tuple[Protocol, ...]
    build: Callable[[Protocol, Any], Any]
    describe: Callable[[], ModelDescriber]
    mutations: tuple[Protocol, ...] = ()
    reductions: tuple[StepReduction, ...] = ()
    invariants: tuple[Predicate, ...] = ()
    steps: tuple[Predicate, ...] = ()
    witnesses: tuple[Predicate, ...] = ()
    initials: Mapping[str, Callable[[Any], Any]] = field(factory=dict)
    environment: tuple[Callable[..., Any], ...] = ()
    strong: tuple[Callable[..., Any], ...] = ()
    unfair: tuple[Callable[..., Any], ...] = ()
    run_claims: tuple[RunClaim, ...] = ()
    needs: Mapping[Predicate, tuple[str, ...]] = field(factory=dict)
    digest: str = ""
    references: Mapping[str, str] = field(factory=dict)
    mentioned: tuple[Any, ...] = ()

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """The options that name the code which does not come with replicheck."""
        model = [("--model", self.name)] if is_reference(self.name) else []
        claims = (("--invariant", claim) for claim in self.references.values())
        return (*model, *claims)

    @property
    def describer(self) -> ModelDescriber:
        """The describer of its steps and states."""
        return self.describe()

    @property
    def protocols_by_name(self) -> dict[str, Protocol]:
        """The protocols by the name under which a scenario chooses one.

        Mutations are among them.
        """
        return {
            protocol.name: protocol for protocol in (*self.protocols, *self.mutations)
        }

    @property
    def reductions_by_name(self) -> dict[str, StepReduction]:
        """The reductions by the name under which a scenario chooses one."""
        return {reduction.name: reduction for reduction in self.reductions}

    def spared_by(self, reductions: Collection[str]) -> frozenset[str]:
        """The actions for which some reductions may leave nothing to do."""
        on = [
            reduction for reduction in self.reductions if reduction.name in reductions
        ]
        return frozenset(name for reduction in on for name in reduction.spared)

    def protocol(self, name: str, reductions: Collection[str] = ()) -> Protocol:
        """The protocol of a name, with the reductions of some names.

        Raises:
            ValueError: if a reduction would change an answer of the protocol.
        """
        on = [
            reduction for reduction in self.reductions if reduction.name in reductions
        ]
        return reduced(self.protocols_by_name[name], on)

    def unreduced_names(self, name: str, reductions: Collection[str]) -> dict[str, str]:
        """Actions by those that reductions put in their place.

        A scenario may name either.
        """
        before = self.protocol(name).actions
        after = self.protocol(name, reductions).actions
        if len(before) != len(after):
            return {}
        pairs = zip(after, before, strict=True)
        return {new.__name__: old.__name__ for new, old in pairs if new is not old}

    @property
    def predicates(self) -> dict[str, Predicate]:
        """Every predicate by its name."""
        everything = self.invariants + self.steps + self.witnesses
        return {predicate.__name__: predicate for predicate in everything}

    @property
    def run_claims_by_name(self) -> dict[str, RunClaim]:
        """The claims about runs by the name under which a scenario chooses one."""
        return {claim.name: claim for claim in self.run_claims}

    def claimed(self, names: Iterable[str]) -> Iterator[tuple[Predicate, int]]:
        """Yield its predicates of these names, each with how many states it takes."""
        wanted, steps = set(names), set(self.steps)
        for name, predicate in self.predicates.items():
            if name in wanted:
                yield predicate, 2 if predicate in steps else 1

    def out_of_reach(self, bounds: Mapping[str, int]) -> tuple[str, ...]:
        """The properties of what cannot happen within bounds."""
        return tuple(
            predicate.__name__
            for predicate, needed in self.needs.items()
            if not any(bounds[bound] for bound in needed)
        )


def summary_line(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring."""
    return (function.__doc__ or "").strip().partition("\n")[0]
