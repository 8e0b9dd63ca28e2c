"""Observing: one run of a function on a proxy becomes a path of its tree."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import define, field

from replicheck.explorer.errors import ModelError, text_of
from replicheck.explorer.learning.learned_functions import (
    LearnedFunction,
    Role,
    kept_state,
)
from replicheck.explorer.learning.premise_reads import RunPremises
from replicheck.explorer.learning.read_write_sets import ReadWriteSet
from replicheck.explorer.learning.step_properties import StepPredicates
from replicheck.explorer.native.kernels.arrays import CONSTRAINED, RAISED, REPORTED
from replicheck.explorer.proxies.calls import (
    AFTER,
    WHOLE,
    Call,
    NoMoreSteps,
    QuestionRaised,
    apply_calls,
    asked_of,
    evaluate_call,
)
from replicheck.explorer.proxies.cell_proxy import Operation
from replicheck.explorer.proxies.probes import HasRead, NoRow
from replicheck.explorer.proxies.state_proxy import StateProxy
from replicheck.explorer.statistics import FunctionRuns
from replicheck.explorer.tables.evaluator import Evaluator, Unanswered
from replicheck.explorer.tables.leaves import RecordedRun
from replicheck.explorer.tables.lookups import Lookup

if TYPE_CHECKING:
    from replicheck.explorer.states.set_elements import Elements


@define
class LearningEffort:
    """What learning one function took: runs of it, their seconds, reads in them."""

    runs: int = 0
    seconds: float = 0.0
    reads: int = 0
    most_reads: int = 0
    widest: tuple[int, Sequence[int]] = (0, ())
    """The instance and the row of a run with so many reads."""
    judged: Counter[str] = field(factory=Counter)
    """How many of these each step property made to judge the function's steps."""
    plain_runs: int = 0
    """How many of the runs were on plain states, of which no read is known."""

    @property
    def statistics(self) -> FunctionRuns:
        """What a report tells of it."""
        seconds = round(self.seconds, 3)
        plain = self.plain_runs
        return FunctionRuns(self.runs, seconds, self.reads, self.judged, plain)


class _Question:
    """What can be asked of a column, and the answer of the last run that asked."""

    __slots__ = ("answer", "lookup", "query", "run")

    def __init__(self) -> None:
        self.query = -1
        """None yet."""
        self.lookup: Lookup | None = None
        self.run = 0
        self.answer: Any = None


class Recorder:
    """Runs the model's functions on a proxy of a state, and notes what they read."""

    def __init__(
        self,
        evaluator: Evaluator,
        proxy: type[StateProxy],
        functions: Sequence[LearnedFunction],
        predicates: StepPredicates,
        read_write_sets: Sequence[ReadWriteSet],
        step_number: Callable[[int, int], int],
    ) -> None:
        self.functions, self.evaluator = functions, evaluator
        self.tables = evaluator.tables
        self.step_predicates = predicates
        self.effort: dict[str, LearningEffort] = {}
        self.read_write_sets, self.step_number = read_write_sets, step_number
        self.raised = ""
        """What the last run that raised did raise."""
        self.read_whole_for = frozenset[str]()
        """Names of questions that are not asked: the cell is read as a whole."""
        whole = proxy(self)
        self._proxies = [_seen_by(function, whole) for function in functions]
        """What each function sees of a state."""
        self._row: Sequence[int] = NoRow()
        self._instance = 0
        self._run = 0
        self._reads: list[tuple[int, int]] = []
        self._relied: dict[tuple[int, Call], None] = {}
        self._premises = RunPremises()
        self._columns: set[int] = set()
        """Where to note which columns are read."""
        self._wholes = [_Question() for _ in self.tables.dictionaries]
        self._questions: dict[tuple[int, Call], _Question] = {
            (column, WHOLE): question for column, question in enumerate(self._wholes)
        }

    def run(self, instance: int, row: Sequence[int]) -> RecordedRun:
        """Run a function in a state."""
        self._row, self._instance, self._reads = row, instance, []
        self._relied, self._premises = {}, RunPremises()
        self._proxy = self._proxies[instance]
        self._run += 1
        self._columns = self.read_write_sets[instance].reads
        function = self.functions[instance]
        effort = self.effort.setdefault(function.instance.name, LearningEffort())
        started = time.perf_counter()
        leaf: tuple[int, ...] | None
        try:
            leaf = self._leaf(instance, function)
        except ModelError:
            raise
        except HasRead:
            raise kept_state(function.instance) from None
        except (Exception, QuestionRaised) as error:
            leaf = (RAISED,)
            # `QuestionRaised` stands for an error of the model that is not known here.
            self.raised = "" if type(error) is QuestionRaised else text_of(error)
        finally:
            self._row = NoRow()
            self._run += 1
        effort.runs += 1
        effort.seconds += time.perf_counter() - started
        effort.reads += len(self._reads)
        if len(self._reads) > effort.most_reads:
            effort.most_reads, effort.widest = len(self._reads), (instance, tuple(row))
        reads, relied = tuple(self._reads), tuple(self._relied)
        return RecordedRun(reads, leaf, relied, self._premises.found)

    def read(self, column: int, call: Call) -> Any:
        """Answer a read of the proxy during a run, and record it."""
        self._columns.add(column)
        try:
            question = self._questions.get((column, call))
        except TypeError:  # an argument cannot be hashed
            return evaluate_call(self.read(column, WHOLE), call)
        if question is None:
            if self.read_whole_for and asked_of(call) in self.read_whole_for:
                return evaluate_call(self.read(column, WHOLE), call)
            question = self._questions[column, call] = _Question()
        if question.run != self._run:
            question.answer = self._answer(question, column, call)
            question.run = self._run
        elif self._premises.claims:
            self._premises.used(question.query)
        if question.answer is Unanswered.RAISED:
            self._premises.needed(question.query)
            raise QuestionRaised
        return question.answer

    def rely(self, elements: Elements, call: Call) -> None:
        """Note that the answer to a call rests on which elements are shown."""
        if isinstance(self._row, NoRow):
            raise HasRead
        elements.rely(self._instance, call)
        self._relied[elements.first, call] = None

    def _leaf(self, number: int, function: LearnedFunction) -> tuple[int, ...] | None:
        if function.role is Role.CONSTRAINT:
            return None if function.instance(self._proxy) else (CONSTRAINED,)
        if function.role is Role.PROPERTY:
            answer = function.instance(self._proxy)
            return (REPORTED,) if function.is_reported(answer) else None
        leaf = [0]
        for which, after in enumerate(_steps(function, self._proxy)):
            function.instance.require_end(which)
            if not isinstance(after, StateProxy):
                raise ModelError(
                    f"`{function.instance.label}` yields a {type(after).__name__}:"
                    " expected `state.evolve(...)`"
                )
            writes = self._writes(number, after)
            leaf[0] += 1
            broken = self._broken(function, after)
            leaf += (self.step_number(number, which), broken, len(writes))
            for column, code in writes:
                leaf += (column, code)
        return tuple(leaf) if leaf[0] else None

    def _answer(self, question: _Question, column: int, call: Call) -> Any:
        """Answer what was not asked before in this run, and record it."""
        whole = self._wholes[column]
        if whole.run == self._run:
            self._premises.needed(whole.query)
            return evaluate_call(whole.answer, call)
        if call[0] == AFTER:
            operations, asked = call[1]
            part = self._questions.get((column, operations[0]))
            if part is not None and part.run == self._run:
                self._premises.needed(part.query)
                if part.answer is Unanswered.RAISED:
                    return part.answer
                return evaluate_call(apply_calls(part.answer, operations[1:]), asked)
        lookup = question.lookup
        if lookup is None:
            question.query = self.tables.query(column, call)
            lookup = question.lookup = self.tables.queries[question.query][1]
        number = self.evaluator.query(lookup, self._row[column])
        self._reads.append((question.query, number))
        if self._premises.claim:
            self._premises.asked(question.query)
        if question is whole:
            return lookup.dictionary.values[number]
        return lookup.answers[number]

    def _broken(self, function: LearnedFunction, after: StateProxy) -> int:
        """Judge a step; the columns that only a step property reads are not noted."""
        columns, self._columns = self._columns, set()
        judged, known = self.effort[function.instance.name].judged, len(self._reads)

        def count_reads(name: str) -> None:
            nonlocal known
            if len(self._reads) > known:
                judged[name] += len(self._reads) - known
                known = len(self._reads)

        try:
            return self.step_predicates.broken_by_writes(
                self._proxy, after, count_reads, self._premises.reading
            )
        finally:
            self._columns = columns

    def _writes(self, instance: int, after: StateProxy) -> list[tuple[int, int]]:
        """Writes of a step: columns, with numbers as a leaf has them.

        From now on the proxy has the objects of the dictionaries, so that values of
        cells without a proxy are one object where they are equal.
        """
        accesses = self.read_write_sets[instance]
        found, values = [], {}
        for column in sorted(after.writes_):
            accesses.writes.add(column)
            code, values[column] = self._written(
                accesses, column, after.writes_[column]
            )
            found.append((column, code))
        after.writes_ = values
        return found

    def _written(
        self, accesses: ReadWriteSet, column: int, value: Any
    ) -> tuple[int, Any]:
        """Number that a leaf has for an operation or a value, with the value itself."""
        if isinstance(value, Operation):
            try:
                code = -1 - self.tables.operation(column, value.calls_)
            except TypeError:  # an argument cannot be hashed
                value = value.whole_
            else:
                accesses.reads.add(column)
                return code, value
        dictionary = self.tables.dictionaries[column]
        number = dictionary.number(value)
        return number, dictionary.values[number]


def _steps(function: LearnedFunction, proxy: StateProxy) -> Iterator[Any]:
    """Yield the next states that an action gives, or those that its part gives."""
    if function.part is None:
        yield from function.instance(proxy)
        return
    with suppress(NoMoreSteps):
        yield from function.part.steps(function.instance, proxy)


def _seen_by(function: LearnedFunction, proxy: StateProxy) -> StateProxy:
    """The proxy of a state that a function sees: of a set it may see a part."""
    return proxy if function.part is None else function.part.seen(proxy)
