"""Learning: one run of a plain Python function becomes one path of its tree.

The learner runs an action or a predicate on a recording view of a state, and puts what
it read and what came of it into the tables. Runs are repeated, on the view and on the
plain state, and must agree: always the first few of a function and then a sample. A
sample of one run in one is thorough: it also repeats each run with reordered sets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, frozen

from replicheck.explorer.arrays import (
    CUT,
    DISABLED,
    NOTED,
    RAISED,
    RAISES,
    UNKNOWN,
    Numbers,
)
from replicheck.explorer.cells import Layout
from replicheck.explorer.dependencies import Touched
from replicheck.explorer.domains import domains_of
from replicheck.explorer.errors import ModelError
from replicheck.explorer.fingerprint import Hasher
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.premises import Premises
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.recording import (
    WHOLE,
    Call,
    Operation,
    StateView,
    applied,
    view_class,
)
from replicheck.explorer.reordering import reordered
from replicheck.explorer.tables import Lookup, Tables

SAMPLE = 64
"""By default one run in so many is repeated."""
MOST_STEP_PROPERTIES = 31
"""As many as a number of the tables has bits."""
FIRST_RUNS = 4
"""So many runs of each instance are always repeated."""


class Role(Enum):
    """What an instance is for."""

    ACTION = "action"
    CLAUSE = "clause"
    CONSTRAINT = "constraint"


@frozen
class Learnt:
    """An instance with what it is for; a clause belongs to a property."""

    instance: Instance
    role: Role
    property: Property | None = None


@define
class Effort:
    """What learning one function took: runs of it, their seconds, reads in them."""

    runs: int = 0
    seconds: float = 0.0
    reads: int = 0


@frozen
class Run:
    """What one run of a function read, in order, and what came of it."""

    reads: tuple[tuple[int, int], ...]
    leaf: tuple[int, ...] | None
    """The leaf as `tables` draws it, or None where the function is disabled."""
    open_end: int | None = None
    """The view whose answer raised, if one did."""


@frozen
class Numbering:
    """The values of each family of cells and the steps, in the order of their numbers.

    A step is an instance, and which of its steps it is.
    """

    values: Mapping[str, tuple[Any, ...]]
    steps: tuple[tuple[int, int], ...]


class _ViewRaised(BaseException):
    """An attribute of a cell's value raised; it is the last read of the run.

    No `Exception`, so that the function does not catch it and read on.
    """

    def __init__(self, view: int) -> None:
        super().__init__(view)
        self.view = view


class _Read(BaseException):
    """A function read a cell; no `Exception`, so that it does not catch it."""


class _Unread:
    """A reader for finding out whether a function reads anything at all."""

    def read(self, column: int, call: Call) -> Any:
        """Answer no read."""
        raise _Read


class Learner:
    """Runs the model's functions where the tables do not know the answer yet."""

    def __init__(
        self,
        model: Model[Any],
        properties: Sequence[Property],
        symmetries: Sequence[Symmetry] = (),
        sample: int = SAMPLE,
    ) -> None:
        self.model, self.sample = model, sample
        self.is_thorough = sample == 1
        self.starts = list(model.initial_states())
        if not self.starts:
            raise ModelError(f"the model {model.name} has no initial state")
        self.layout = Layout.of(self.starts[0])
        self.symmetries = symmetries
        self.domains = domains_of(self.layout, Hasher(), symmetries)
        view = view_class(self.layout, self.starts[0])
        self.functions = tuple(
            each
            for each in _functions(model, properties)
            if self.is_thorough or not _is_never_of_interest(each, view(_Unread()))
        )
        """The instances; unless thorough, without those disabled whatever the state."""
        self.step_properties = [each for each in properties if each.kind is Kind.STEP]
        if len(self.step_properties) > MOST_STEP_PROPERTIES:
            raise ModelError(f"at most {MOST_STEP_PROPERTIES} step properties at once")
        self._step_clauses = [
            (1 << number, each.name, clause)
            for number, each in enumerate(self.step_properties)
            for clause in each.instances(model.domains)
        ]
        self.tables = Tables(self.layout, self.domains, symmetries, len(self.functions))
        self.steps: list[tuple[int, int]] = []
        """For each step number the instance, and which of its steps it is."""
        self.effort: dict[str, Effort] = {}
        self.repeated = 0
        self.heard: Callable[[int, Run], None] = lambda instance, run: None
        """Is told of each run from which the tables learned a leaf."""
        self.premises = Premises(properties)
        self.touched = tuple(Touched() for _ in self.functions)
        """What each instance reads and writes."""
        self._is_judging = False
        self._step_numbers: dict[tuple[int, int], int] = {}
        self._runs = [0] * len(self.functions)
        self._view = view(self)
        self._answers = 0
        self._asked_at = (-1, -1)
        self._row: Sequence[int] = ()
        self._instance = 0
        self._reads: list[tuple[int, int]] = []
        self._seen: dict[tuple[int, Call], Any] = {}

    def row(self, state: Any) -> tuple[int, ...]:
        """Return the numbers of a state's cells."""
        values = self.layout.values(state)
        return tuple(
            domain.number(value)
            for domain, value in zip(self.domains, values, strict=True)
        )

    def prints(self, rows: npt.NDArray[Any]) -> list[int]:
        """Return the fingerprints of rows: under the renaming that makes them least."""
        tables = self.tables.arrays()
        words = tables.words.reshape(-1, self.tables.permutations)
        places = tables.first[:-1] + rows
        prints = np.bitwise_xor.reduce(words[places], axis=1).min(axis=1)
        return [int(each) or 1 for each in prints]

    def state(self, row: Sequence[int]) -> Any:
        """Return the plain state of a row."""
        values = tuple(
            domain.values[number]
            for domain, number in zip(self.domains, row, strict=True)
        )
        return self.layout.build(self.starts[0], values)

    def after(self, row: Sequence[int], step: int) -> tuple[int, ...]:
        """Return the row to which a step leads, by the tables."""
        instance, which = self.steps[step]
        return self.steps_from(instance, row)[which]

    def steps_from(self, action: int, row: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the rows to which an action leads, by the tables.

        Raises:
            ArithmeticError: if the action raises in this state.
        """
        self.learn(action, row)
        code = self.tables.find(action, row)
        if code == DISABLED:
            return []
        if code == 0 or self.tables.leaf(code)[0] == RAISED:
            raise ArithmeticError
        return self._rows_after(row, self.tables.leaf(code))

    def plain_steps(self, action: int, state: Any) -> object:
        """Return the states to which an action leads, by running it, or a text.

        The text says that it raises, or that a step property does on one of its steps.
        """
        plainly = self._plainly(action, state)
        judged = self._judged(state, plainly)
        return plainly if isinstance(judged, list) else judged

    @property
    def numbering(self) -> Numbering:
        """Return what the numbers of values and steps mean so far."""
        values = {each.name: tuple(each.values) for each in self.domains}
        return Numbering(values, tuple(self.steps))

    def adopt(self, numbering: Numbering) -> None:
        """Number values and steps as another learner of the same model did.

        It must not have numbered any yet.
        """
        for domain in dict.fromkeys(self.domains):
            for value in numbering.values[domain.name]:
                domain.number(value)
        for instance, which in numbering.steps:
            self.step_number(instance, which)

    def learn(self, instance: int, row: Sequence[int]) -> None:
        """Make the tables know what an instance does in a state.

        Raises:
            ModelError: if it is not a function of the state, or breaks the contract.
        """
        if self.tables.find(instance, row) != 0:
            return
        run = self._run(instance, row)
        self._show_premise(instance, row)
        self._runs[instance] += 1
        runs = self._runs[instance]
        if runs <= FIRST_RUNS or runs % self.sample == 0:
            self._repeat(instance, row, run)
        self.keep(instance, run)
        if run.open_end is None:
            self.heard(instance, run)

    def keep(self, instance: int, run: Run) -> None:
        """Put what a run read and what came of it into the tables.

        Raises:
            ModelError: if the tables know of a run that went on otherwise.
        """
        try:
            if run.open_end is not None:
                self.tables.insert_open_end(instance, run.reads, run.open_end)
            else:
                code = DISABLED if run.leaf is None else self.tables.add_leaf(run.leaf)
                self.tables.insert(instance, run.reads, code)
        except LookupError:
            label = self.functions[instance].instance.label
            raise ModelError(
                f"`{label}` is not a function of the state: after the same answers it"
                f" once went on otherwise. This run read {self._story(run)}."
            ) from None

    def _show_premise(self, instance: int, row: Sequence[int]) -> None:
        """Look whether the premise of a clause holds in a state.

        States where a clause reads the same are alike to its premise, which it reads
        first; so it is enough to look where a path is learned.
        """
        claim = self.functions[instance].property
        if claim is not None and self.premises.are_open(claim.name):
            values = self.functions[instance].instance.values
            self.premises.show(claim.name, values, self.state(row))

    def answer(self, place: int) -> None:
        """Make the tables know the answer at a place of ``lookups``."""
        lookup, value = self.tables.lookup_at(place)
        if lookup.known[value] == UNKNOWN:
            if lookup.is_operation:
                self._ask_operation(lookup, value)
            else:
                self._ask_view(lookup, value)

    def ask_closed_questions(self) -> bool:
        """Ask every closed question of every value; tell whether one is open after all.

        The masks take it that a closed question has an answer for all values.
        """
        news = self._answers, sum(len(domain) for domain in set(self.domains))
        if news == self._asked_at:
            return False
        self._asked_at = news
        opened = False
        for lookup in self.tables.closed_views():
            lookup.fit()
            for value in range(lookup.asked, len(lookup.domain)):
                if lookup.known[value] == UNKNOWN:
                    self._ask_view(lookup, value)
            lookup.asked = len(lookup.domain)
            opened |= not lookup.is_closed
        return opened

    def read(self, column: int, call: Call) -> Any:
        """Answer a read of a view during a run, and record it."""
        if not self._is_judging:
            self.touched[self._instance].reads.add(column)
        seen = self._seen
        if (column, call) in seen:
            return seen[column, call]
        if (column, WHOLE) in seen:
            answer = seen[column, call] = _answer(seen[column, WHOLE], call)
            return answer
        value = self._row[column]
        view = self.tables.view(column, call)
        if call == WHOLE:
            number, answer = value, self.domains[column].values[value]
        else:
            lookup = self.tables.views[view][1]
            lookup.fit()
            number = int(lookup.known[value])
            if number == UNKNOWN:
                number = self._ask_view(lookup, value)
            if number == RAISES:
                raise _ViewRaised(view)
            answer = lookup.answers[number]
        self._reads.append((view, number))
        seen[column, call] = answer
        return answer

    def _ask_view(self, lookup: Lookup, value: int) -> int:
        try:
            answer = _answer(lookup.domain.values[value], lookup.calls[0])
        except Exception:
            number = RAISES
        else:
            number = self.answer_number(lookup, answer)
        self.tables.learn_lookup(lookup, value, number)
        return number

    def answer_number(self, lookup: Lookup, answer: Any) -> int:
        """Return the number of an answer of a view, a new one if it is new.

        Raises:
            ModelError: if it cannot be hashed.
        """
        try:
            known = len(lookup.answers)
            number = lookup.answer_number(answer)
        except TypeError as error:
            raise ModelError(
                f"`{lookup.domain.name}{lookup}` answers {answer!r}, which cannot be"
                " hashed: answer with tuples, frozensets and frozen values"
            ) from error
        self._answers += len(lookup.answers) - known
        return number

    def _ask_operation(self, lookup: Lookup, value: int) -> int:
        try:
            after = applied(lookup.domain.values[value], lookup.calls)
        except Exception:
            number = RAISES
        else:
            number = lookup.domain.number(after)
        self.tables.learn_lookup(lookup, value, number)
        return number

    def _run(self, instance: int, row: Sequence[int]) -> Run:
        self._row, self._reads, self._seen = row, [], {}
        self._instance = instance
        learnt = self.functions[instance]
        started = time.perf_counter()
        leaf, open_end = None, None
        try:
            leaf = self._leaf(instance, learnt)
        except ModelError:
            raise
        except _ViewRaised as raised:
            open_end = raised.view
        except Exception:
            leaf = (RAISED,)
        effort = self.effort.setdefault(learnt.instance.name, Effort())
        effort.runs += 1
        effort.seconds += time.perf_counter() - started
        effort.reads += len(self._reads)
        return Run(tuple(self._reads), leaf, open_end)

    def _leaf(self, number: int, learnt: Learnt) -> tuple[int, ...] | None:
        if learnt.role is Role.CONSTRAINT:
            return None if learnt.instance(self._view) else (CUT,)
        if learnt.property is not None:
            expected = learnt.property.kind is Kind.ALWAYS
            return None if bool(learnt.instance(self._view)) is expected else (NOTED,)
        leaf = [0]
        for which, after in enumerate(learnt.instance(self._view)):
            if not isinstance(after, StateView):
                raise ModelError(
                    f"`{learnt.instance.label}` yields a {type(after).__name__}:"
                    " expected `state.evolve(...)`"
                )
            leaf[0] += 1
            leaf += (self.step_number(number, which), self._broken(self._view, after))
            leaf.append(len(after.writes))
            for column, value in sorted(after.writes.items(), key=lambda each: each[0]):
                leaf += (column, self._written(column, value))
                self._note_write(number, column, value)
        return tuple(leaf) if leaf[0] else None

    def _note_write(self, instance: int, column: int, value: Any) -> None:
        touched = self.touched[instance]
        touched.writes.add(column)
        if type(value) is Operation:
            touched.reads.add(column)

    def _written(self, column: int, value: Any) -> int:
        if type(value) is Operation:
            return -1 - self.tables.operation(column, value.calls)
        return self.domains[column].number(value)

    def _broken(self, before: Any, after: Any) -> int:
        """Return the bit set of the step properties that a step breaks."""
        broken = 0
        self._is_judging = True
        try:
            for bit, name, clause in self._step_clauses:
                if not clause(before, after):
                    broken |= bit
                # A premise reads nothing that its clause has not read.
                if self.premises.are_open(name):
                    self.premises.show(name, clause.values, before, after)
        finally:
            self._is_judging = False
        return broken

    def step_number(self, instance: int, which: int) -> int:
        """Return the number of a step of an instance, a new one if it is new."""
        number = self._step_numbers.get((instance, which))
        if number is None:
            number = self._step_numbers[instance, which] = len(self.steps)
            self.steps.append((instance, which))
        return number

    def _repeat(self, instance: int, row: Sequence[int], first: Run) -> None:
        """Run a function again, on the view and on the plain state, and compare."""
        self.repeated += 1
        label = self.functions[instance].instance.label
        second = self._run(instance, row)
        self._check_unchanged(label, row)
        if second != first:
            raise ModelError(
                f"`{label}` is not a function of the state: run twice in one state, it"
                f" first read {self._story(first)}, then {self._story(second)}"
            )
        state = self.state(row)
        plainly = self._plainly(instance, state)
        self._check_unchanged(label, row)
        if self.layout.values(state) != self.layout.values(self.state(row)):
            raise ModelError(f"`{label}` changed the state in place: it is now {state}")
        found, expected = self._judged(state, plainly), self._expected(row, first)
        if found != expected:
            raise ModelError(
                f"`{label}` differs between a plain state and a recording view of it:"
                f" {found} and {expected}. It reads something that is no part of the"
                f" state, or looks at the class of a cell. The state: {state}"
            )
        if self.is_thorough:
            self._repeat_reordered(instance, state, plainly)

    def _repeat_reordered(self, instance: int, state: Any, first: object) -> None:
        other = self._plainly(instance, reordered(state))
        if other != first:
            label = self.functions[instance].instance.label
            raise ModelError(
                f"`{label}` depends on the order in which it iterates a set: {first},"
                f" and in another order {other}. Sort a set before iterating. The"
                f" state: {state}"
            )

    def _expected(self, row: Sequence[int], run: Run) -> object:
        if run.open_end is not None or run.leaf == (RAISED,):
            return "an exception"
        if run.leaf is None:
            return []
        if run.leaf[0] < 0:
            return "a note"
        try:
            return list(
                zip(self._rows_after(row, run.leaf), _broken_by(run.leaf), strict=True)
            )
        except ArithmeticError:
            return "an exception"

    def _plainly(self, instance: int, state: Any) -> object:
        """Return the states to which an action leads, or what a predicate comes to."""
        learnt = self.functions[instance]
        try:
            if learnt.role is Role.ACTION:
                return list(learnt.instance(state))
            answer = bool(learnt.instance(state))
        except ModelError:
            raise
        except Exception:
            return "an exception"
        is_witness = (
            learnt.property is not None and learnt.property.kind is Kind.SOMETIMES
        )
        return "a note" if answer is is_witness else []

    def _judged(self, state: Any, plainly: object) -> object:
        """Return the steps of a plain run as rows, with what each breaks."""
        if not isinstance(plainly, list):
            return plainly
        rows = [self.row(after) for after in plainly]
        try:
            broken = [self._broken(state, after) for after in plainly]
        except ModelError:
            raise
        except Exception:
            return "an exception"
        return list(zip(rows, broken, strict=True))

    def _rows_after(
        self, row: Sequence[int], leaf: Sequence[int] | Numbers
    ) -> list[tuple[int, ...]]:
        rows, at = [], 1
        for _ in range(leaf[0]):
            writes = int(leaf[at + 2])
            after = list(row)
            for place in range(at + 3, at + 3 + 2 * writes, 2):
                column, code = int(leaf[place]), int(leaf[place + 1])
                after[column] = self._value_after(code, row[column])
            rows.append(tuple(after))
            at += 3 + 2 * writes
        return rows

    def _value_after(self, code: int, value: int) -> int:
        if code >= 0:
            return code
        lookup = self.tables.operations[-1 - code]
        lookup.fit()
        number = int(lookup.known[value])
        if number == UNKNOWN:
            number = self._ask_operation(lookup, value)
        if number == RAISES:
            raise ArithmeticError
        return number

    def _check_unchanged(self, label: str, row: Sequence[int]) -> None:
        fresh = Hasher()
        for column, number in enumerate(row):
            domain = self.domains[column]
            if fresh.value(domain.values[number]) != int(domain.hashes[number, 0]):
                raise ModelError(
                    f"`{label}` changed the value of `{self.layout.cells[column]}` in"
                    f" place; it is now {domain.values[number]!r}"
                )

    def _story(self, run: Run) -> str:
        reads = [self._view_name(view) for view, _ in run.reads]
        return f"{', '.join(reads) or 'nothing'} ({self._outcome(run)})"

    def _view_name(self, view: int) -> str:
        column, lookup = self.tables.views[view]
        return f"{self.layout.cells[column]}{lookup}"

    def _outcome(self, run: Run) -> str:
        """Return what came of a run, in words."""
        if run.open_end is not None:
            return f"and {self._view_name(run.open_end)} raised"
        if run.leaf is None:
            return "and told nothing"
        if run.leaf[0] < 0:
            return (
                "and raised" if run.leaf[0] == RAISED else "and had something to tell"
            )
        steps = [f"[{', '.join(writes)}]" for writes in self._writes(run.leaf)]
        return f"and led to {', '.join(steps)}"

    def _writes(self, leaf: Sequence[int]) -> Iterator[list[str]]:
        """Yield for each step of a leaf its writes, such as ``number = 1``."""
        at = 1
        for _ in range(leaf[0]):
            end = at + 3 + 2 * leaf[at + 2]
            yield [
                self._write(column, code)
                for column, code in zip(
                    leaf[at + 3 : end : 2], leaf[at + 4 : end : 2], strict=True
                )
            ]
            at = end

    def _write(self, column: int, code: int) -> str:
        cell = self.layout.cells[column]
        if code >= 0:
            return f"{cell} = {self.domains[column].values[code]!r}"
        return f"{cell} = {cell}{self.tables.operations[-1 - code]}"


def _functions(model: Model[Any], properties: Iterable[Property]) -> Iterator[Learnt]:
    for each in instances(model.actions, model.domains):
        yield Learnt(each, Role.ACTION)
    for each in instances(model.constraints, model.domains):
        yield Learnt(each, Role.CONSTRAINT)
    for claim in properties:
        if claim.kind in (Kind.ALWAYS, Kind.SOMETIMES):
            for each in claim.instances(model.domains):
                yield Learnt(each, Role.CLAUSE, claim)


def _is_never_of_interest(learnt: Learnt, unread: StateView) -> bool:
    """Tell whether an instance is disabled, or holds, without reading anything."""
    try:
        if learnt.role is Role.ACTION:
            return not any(True for _ in learnt.instance(unread))
        is_witness = (
            learnt.property is not None and learnt.property.kind is Kind.SOMETIMES
        )
        return bool(learnt.instance(unread)) is not is_witness
    except (Exception, _Read):
        return False


def _broken_by(leaf: tuple[int, ...]) -> list[int]:
    """Return for each step of a leaf the bit set of the step properties it breaks."""
    broken, at = [], 1
    for _ in range(leaf[0]):
        broken.append(leaf[at + 1])
        at += 3 + 2 * leaf[at + 2]
    return broken


def _answer(value: Any, call: Call) -> Any:
    name, arguments = call
    member = getattr(value, name)
    return member(*arguments) if callable(member) else member
