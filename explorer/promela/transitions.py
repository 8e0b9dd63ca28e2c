"""Transitions: each instance in Promela, as options of the loop that is the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.promela.conditions import (
    MET,
    Ends,
    Leaf,
    guard,
    options,
    unmet,
)
from replicheck.explorer.promela.constant_tables import FILL
from replicheck.explorer.promela.identifiers import Identifiers
from replicheck.explorer.promela.text import INDENT, comment, wrapped
from replicheck.explorer.promela.tree_values import End, Tree, TreeStep, tree_of

UNJUDGED = "UNJUDGED"
"""The macro that turns the properties off."""
JUDGE = "JUDGE"
"""The macro that names a step property that a step breaks."""
CUT = "CUT"
"""The macro that tells whether a constraint cuts the state."""


class Transitions:
    """Writes the instances of one learner."""

    def __init__(self, identifiers: Identifiers, learner: LearnedModel) -> None:
        self.identifiers, self.learner = identifiers, learner
        for name in (MET, UNJUDGED, JUDGE, CUT, FILL):
            identifiers.names.give(name)
        self.cells = identifiers.cells
        self.property_instances: Mapping[str, str] = {
            function.instance.label: identifiers.names.give(function.instance.label)
            for _, function, _ in self._trees(Role.PROPERTY)
        }
        self.step_claims: Sequence[str] = [
            identifiers.names.give(claim.name) for claim in learner.step_properties
        ]
        self.constraints = list(self._trees(Role.CONSTRAINT))
        self._not_cut = f"!{CUT} && " if self.constraints else ""

    def cut(self) -> Iterator[str]:
        """Yield the macro that tells whether a constraint cuts the state, if any."""
        if not self.constraints:
            return
        conditions = [
            guard(
                self.identifiers,
                tree,
                Ends(lambda leaf: leaf is End.REPORTED, _nothing),
            )
            for _, _, tree in self.constraints
        ]
        yield from comment("A constraint keeps the state from being expanded")
        yield " \\\n".join(wrapped(f"#define {CUT} ({' || '.join(conditions)})"))

    def actions(self) -> Iterator[str]:
        """Yield one alternative for each step that an instance of an action takes."""
        for number, _, _ in self._trees(Role.ACTION):
            yield from self.action(number, self._not_cut)

    def action(self, number: int, premise: str) -> Iterator[str]:
        """Yield one alternative for each step of the instance with a number.

        ``premise`` is what each asks first, with an operator behind it.
        """
        label = self.learner.functions[number].instance.label
        tree = tree_of(self.learner.tables, number)
        most = max(
            (which for instance, which in self.learner.steps if instance == number),
            default=0,
        )
        for which in range(most + 1):
            name = f"{label}, step {which + 1}" if most else label
            yield from self._alternative(name, tree, self._nth_step(which), premise)
        yield from self._check(label, tree, premise)

    def enabling(self, number: int) -> str:
        """The condition under which the instance with a number has a step."""
        tree = tree_of(self.learner.tables, number)
        return guard(self.identifiers, tree, self._nth_step(0))

    def checks_of_constraints(self) -> Iterator[str]:
        """Yield an alternative for each constraint, of states that it never judged."""
        for _, function, tree in self.constraints:
            yield from self._check(function.instance.label, tree)

    def claims(self) -> Iterator[str]:
        """Yield an alternative for each instance, enabled where it is violated."""
        for _, function, tree in self._trees(Role.PROPERTY):
            label = function.instance.label
            ends = self._accused(self.property_instances[label])
            yield from self._alternative(f"violated: {label}", tree, ends)

    def _trees(self, role: Role) -> Iterator[tuple[int, LearnedFunction, Tree]]:
        for number, function in enumerate(self.learner.functions):
            if function.role is role:
                yield number, function, tree_of(self.learner.tables, number)

    def _nth_step(self, place: int) -> Ends:
        def is_meant(leaf: Leaf) -> bool | None:
            if isinstance(leaf, End):
                return None if leaf is End.UNMET else False
            return len(leaf) > place

        def statements(leaf: Leaf) -> Sequence[str]:
            return () if isinstance(leaf, End) else self._step(leaf[place])

        return Ends(is_meant, statements)

    @staticmethod
    def _accused(claim: str) -> Ends:
        return Ends(
            lambda leaf: leaf is not End.NOTHING,
            lambda leaf: [f"assert({claim if leaf is End.REPORTED else MET})"],
        )

    def _step(self, step: TreeStep) -> Sequence[str]:
        statements, known = [], []
        for write in step.writes:
            cell, new = self.cells[write.column], str(write.value)
            if write.operation is not None:
                table = self.identifiers.table(write.operation)
                new = f"{table.name}[{cell}]"
                if table.unasked in table.numbers:
                    known.append(f"{cell} < {table.unasked}")
            statements.append(f"{cell} = {new}")
        if known:
            statements.append(f"assert(({' && '.join(known)}) || {MET})")
        for number, claim in enumerate(self.step_claims):
            if step.broken >> number & 1:
                statements.append(f"{JUDGE}({claim})")
        *others, last = statements or ["skip"]
        return [*(f"{other};" for other in others), last]

    def _check(self, label: str, tree: Tree, premise: str = "") -> Iterator[str]:
        """Yield the alternative for where a tree has no leaf, if there may be any."""
        found = list(options(self.identifiers, tree, unmet()))
        if found:
            yield from _told(f"{label}: where no state of the search came")
            yield from _written(found, premise)

    def _alternative(
        self, label: str, tree: Tree, ends: Ends, premise: str = ""
    ) -> Iterator[str]:
        found = list(options(self.identifiers, tree, ends))
        yield from _told(label if found else f"{label}: in no state")
        yield from _written(found, premise)


def _told(text: str) -> Iterator[str]:
    yield from (f"{INDENT}{line}" for line in comment(text))


def _written(found: Iterable[tuple[str, list[str]]], premise: str) -> Iterator[str]:
    inner = 3 * INDENT
    for condition, statements in found:
        yield f"{INDENT}:: d_step {{"
        yield from wrapped(f"{premise}{condition} ->", inner)
        yield from (f"{inner}{line}" for line in statements)
        yield f"{2 * INDENT}}}"


def _nothing(leaf: Leaf) -> Sequence[str]:
    return ()
