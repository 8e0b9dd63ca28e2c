"""The loop over levels: expand a level, judge it, and make the next one of it.

An engine hands in what differs: ``enforce`` what is due before a level, ``expand`` it,
``advance`` to the next one. The order in which things are judged is here, once: states
first, then constraints, then steps; so all engines decide alike.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from attrs import frozen

from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.model import S
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.report import Failure
from replicheck.explorer.search.bookkeeping import Bookkeeping, SearchStopped
from replicheck.explorer.search.memory_budget import BudgetExceeded
from replicheck.explorer.search.property_status import FunctionRaised, JudgedLevel

if TYPE_CHECKING:
    from replicheck.explorer.states.symmetry_check import SymmetryCheck

RESUMABLE = frozenset({"interrupted", "seconds", "memory", "disk"})
"""What stops a search such that going on with it makes sense."""


class ExpandedLevel(Protocol):
    """What the expansion of a level came to, as far as it is judged here."""

    @property
    def expansion(self) -> Expansion:
        """Notes and counts of all instances."""

    @property
    def constraint_notes(self) -> U64Array | None:
        """Notes of the constraints alone; None where no constraint is judged."""


E = TypeVar("E")
X = TypeVar("X", bound=ExpandedLevel)
Heard = TypeVar("Heard", bound=ExpandedLevel, contravariant=True)


class Levels(Protocol[E]):
    """Levels that are visited one after the other."""

    @property
    def size(self) -> int:
        """Number of states of the level at work."""

    def enforce(self) -> None:
        """Do what is due before the level is expanded; may raise to end the search."""

    def expand(self) -> E | None:
        """Expand and judge the level; None if the search ends with it."""

    def advance(self, expanded: E) -> None:
        """Make the next level the one at work."""


def visit_levels(levels: Levels[E]) -> bool:
    """Visit level after level; tell whether that ended for want of further states."""
    while levels.size:
        levels.enforce()
        expanded = levels.expand()
        if expanded is None:
            return False
        levels.advance(expanded)
    return True


class LevelEngine(Protocol[X]):
    """What an engine hands in for a search by levels that judges properties."""

    @property
    def size(self) -> int:
        """Number of states of the level at work."""

    @property
    def judged_level(self) -> JudgedLevel:
        """The level at work, as properties are judged on it."""

    def sampled_states(self, count: int) -> Sequence[Any]:
        """Decode so many states of the level at work at most, the first among them."""

    def enforce(self) -> None:
        """Do what is due before a level, such as a checkpoint."""

    def expand(self, limit: str | None) -> X:
        """Expand the level; where it reaches a limit, only judge its states."""

    def advance(self, expanded: X) -> None:
        """Count what was expanded, and make the next level the one at work."""

    def abandon_level(self) -> None:
        """Take note that an allocation failed while the level was at work."""


class JudgementListener(Protocol[Heard]):
    """Is told when a level was judged; ``before`` are the violations until then."""

    def hear_states(
        self, expanded: Heard, level: JudgedLevel, before: Set[str]
    ) -> None:
        """Hear that the states of a level were judged."""

    def hear_steps(self, expanded: Heard, level: JudgedLevel, before: Set[str]) -> None:
        """Hear that the steps from a level were judged."""


@frozen
class Ending(Generic[S]):
    """How a search ended: stopped by a limit or the user, by a failure, or neither."""

    stopped_by: str | None = None
    failure: Failure[S] | None = None


class JudgedLevels(Generic[S, X]):
    """The levels of an engine, each judged when it was expanded."""

    def __init__(
        self,
        bookkeeping: Bookkeeping[S],
        engine: LevelEngine[X],
        listener: JudgementListener[X] | None = None,
    ) -> None:
        self.bookkeeping, self.engine, self.listener = bookkeeping, engine, listener
        self.status, self.learner = bookkeeping.status, bookkeeping.learner

    @property
    def size(self) -> int:
        """Number of states of the level at work."""
        return self.engine.size

    def enforce(self) -> None:
        """Have the engine do what is due, and check some symmetries on some states."""
        self.engine.enforce()
        self.bookkeeping.counts.levels.append(self.size)
        if self.learner.symmetries:
            states = self.engine.sampled_states(self._symmetry_check.most_states)
            level = len(self.bookkeeping.counts.levels) - 1
            self._symmetry_check.compare(level, states)

    @cached_property
    def _symmetry_check(self) -> SymmetryCheck:
        """Compares states with their renamings."""
        # Imported only here: most searches are not up to symmetry.
        from replicheck.explorer.states.symmetry_check import SymmetryCheck

        layout, symmetries = self.learner.layout.plain, self.learner.symmetries
        claims = self.status.properties
        return SymmetryCheck(layout, symmetries, self.learner.model, claims)

    def expand(self) -> X | None:
        """Expand and judge the level; None if everything is decided.

        The premises of its steps count if the steps are judged.

        Raises:
            SearchStopped: if the level reaches a limit.
            FunctionRaised: if a function of the model raised.
        """
        status, level = self.status, self.engine.judged_level
        before, limit = set(status.violations), self.bookkeeping.limit()
        premises = self.learner.premises
        held = premises.names_held
        expanded = self.engine.expand(limit)
        held_in_steps = premises.withdraw_steps(held)
        status.note_instances(expanded.expansion, level)
        if self.listener is not None:
            self.listener.hear_states(expanded, level, before)
        if status.are_enough:
            return None
        if limit is not None:
            raise SearchStopped(limit)
        if expanded.constraint_notes is not None:
            status.check_failures(expanded.constraint_notes, Role.CONSTRAINT, level)
        premises.note_held(held_in_steps)
        status.note_steps(expanded.expansion, level)
        if self.listener is not None:
            self.listener.hear_steps(expanded, level, before)
        return None if status.are_enough else expanded

    def advance(self, expanded: X) -> None:
        """Have the engine make the next level."""
        self.engine.advance(expanded)

    def search(self) -> Ending[S]:
        """Visit levels until everything is decided, or something stops the search."""
        try:
            if visit_levels(self):
                self.bookkeeping.exhausted = self.bookkeeping.counts.is_whole
        except SearchStopped as reason:
            return Ending(stopped_by=str(reason))
        except KeyboardInterrupt:
            return Ending(stopped_by="interrupted")
        except BudgetExceeded:
            return Ending(stopped_by="memory")
        except MemoryError:
            self.engine.abandon_level()
            return Ending(stopped_by="memory")
        except FunctionRaised as failed:
            return Ending(failure=failed.failure)
        return Ending()
