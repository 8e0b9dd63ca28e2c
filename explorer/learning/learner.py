"""Learning: one run of a plain Python function becomes one path of its tree.

The learner runs an action or a predicate on a proxy of a state, and puts what
it read and what came of it into the tables. Runs are repeated, on the proxy and on the
plain state, and once more with reordered sets, and must agree: always the first few of
a function and then a sample. A sample of one run in one is thorough: then steps must
also come in the same order, however sets are iterated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.checks.consistency import ConsistencyChecker
from replicheck.explorer.learning.learned_functions import (
    LearnedFunction,
    functions_of,
    idle_apart,
    require_idle,
    without_later_parts,
)
from replicheck.explorer.learning.learned_model import LearnedModel, Numbering
from replicheck.explorer.learning.parts.claim_parts import ClaimParts
from replicheck.explorer.learning.recorder import LearningEffort, Recorder
from replicheck.explorer.learning.step_properties import StepPredicates
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.native.kernels.arrays import DISABLED, RAISED
from replicheck.explorer.properties import Property
from replicheck.explorer.proxies.calls import evaluate_call
from replicheck.explorer.proxies.probes import RefusingReader
from replicheck.explorer.proxies.state_proxy import StateProxy, state_proxy_class
from replicheck.explorer.report import Step, Trace
from replicheck.explorer.states.encoding import AT_FIRST, EncodedOtherwise, Encoding
from replicheck.explorer.states.layout import initial_states
from replicheck.explorer.tables.evaluator import Evaluator
from replicheck.explorer.tables.leaves import RecordedRun, describe_run, rows_after

if TYPE_CHECKING:
    from replicheck.explorer.learning.plain.plain_runs import PlainRuns
    from replicheck.explorer.states.split_layout import SplitLayout

SAMPLE = 64
"""By default one run in so many is repeated."""
CHECKED = 64
"""Sampled states in which it is checked that what was left out is disabled."""
LATE_RUNS = 128
"""About so many runs are repeated when a search has come to its end."""
MOST_LATE_RUNS = 1 << 16
"""So many if it is thorough."""
FIRST_RUNS = 4
"""So many runs of each function are always repeated."""


class Learner(LearnedModel):
    """Runs the model's functions where the tables do not know the answer yet."""

    def __init__(
        self,
        model: Model[Any],
        properties: Sequence[Property],
        symmetries: Sequence[Symmetry] = (),
        sample: int = SAMPLE,
        encoding: Encoding = AT_FIRST,
    ) -> None:
        """Begin to learn; one run in ``sample`` is repeated and compared."""
        self.sample, self.is_thorough = sample, sample == 1
        self.encoding = encoding
        """What was asked for: with one column a set stays one value, though crowded."""
        starts, layout = initial_states(model)
        cells = encoding.cells
        whole = {name: of for name, of in cells.items() if of.is_whole}
        proxy = state_proxy_class(layout, starts[0], StateProxy, whole)
        parts = ClaimParts(proxy, layout.values(starts[0]))
        self.split: SplitLayout | None = None
        """There if sets are split."""
        if any(of_cell.is_split for of_cell in cells.values()):
            # Imported only here: most models have no set with so many values.
            from replicheck.explorer.proxies.split.split_state import (
                split_proxy_class,
                split_sets,
            )

            layout = self.split = split_sets(layout, starts, encoding)
            proxy = split_proxy_class(layout, starts[0], whole)
        self.proxy = proxy
        self.left_out: list[LearnedFunction] = []
        """Instances that are disabled whatever the state; none if thorough."""
        kept = [*functions_of(model, properties, parts)]
        if not self.is_thorough:
            kept, self.left_out = idle_apart(kept, proxy(RefusingReader()))
        if encoding != AT_FIRST:
            # Imported only here, as above.
            from replicheck.explorer.learning.parts.encoded_functions import encoded

            kept = encoded(kept, layout, starts[0], encoding)
        require_idle(self.left_out, starts[:FIRST_RUNS])
        super().__init__(model, properties, symmetries, starts, kept, layout, encoding)
        for claim, instance in ((out.property, out.instance) for out in self.left_out):
            if claim is not None:  # Its premise reads nothing either: a state tells.
                self.premises.show(claim.name, instance.values, starts[0])
        predicates = StepPredicates(properties, model.domains, self.premises, proxy)
        self.evaluator = Evaluator(self.tables, by_head=not self.is_thorough)
        self.step_number = self._step_numbers.number
        self.on_learned: Callable[[int, RecordedRun], None] = lambda instance, run: None
        """Is told of each run from which the tables learned a leaf."""
        self.on_conflict: Callable[[int], bool] = lambda instance: False
        """Tells whether it had the tables forget what a run of an instance denies."""
        self._recorder = recorder = Recorder(
            self.evaluator,
            proxy,
            self.functions,
            predicates,
            self.read_write_sets,
            self.step_number,
        )
        self._checker = ConsistencyChecker(recorder, self._encoder, self.is_thorough)
        self._runs: Counter[str] = Counter()
        self.plain_steps = self._checker.plain_steps

    @property
    def effort(self) -> Mapping[str, LearningEffort]:
        """Effort of learning, by function."""
        return self._recorder.effort

    @property
    def repeated(self) -> int:
        """Number of runs that were repeated."""
        return self._checker.repeated

    def trace(self, row: Sequence[int], taken: Iterable[tuple[int, int]]) -> Trace[Any]:
        """The run from a row by the tables.

        Args:
            taken: for each step the instance, and which of its steps it is.

        Raises:
            LookupError: if there is no such step.
            ArithmeticError: if an action raises on the way.
        """
        start, steps = self.state(row), []
        for number, which in taken:
            row = self.steps_from(number, row)[which]
            of = self.functions[number].instance
            steps.append(Step(of.name, dict(of.arguments), self.state(row)))
        return Trace(start, tuple(steps))

    def steps_from(self, action: int, row: Sequence[int]) -> list[tuple[int, ...]]:
        """The rows to which an action leads, by the tables.

        Raises:
            ArithmeticError: if the action raises in this state.
        """
        self.learn(action, row)
        code = self.tables.trees.find(action, row)
        if code == DISABLED:
            return []
        if code == 0 or self.tables.trees.leaf(code)[0] == RAISED:
            raise ArithmeticError
        return rows_after(self.evaluator, row, self.tables.trees.leaf(code))

    def adopt(self, numbering: Numbering) -> None:
        """Number values and steps as another learner of the same model did.

        It must not have numbered any yet.

        Raises:
            EncodedOtherwise: if the other one splits other sets.
        """
        if numbering.encoding != self.kept_encoding:
            raise EncodedOtherwise(numbering.encoding)
        if self.split is not None:
            self.split.adopt(numbering.values)
            self.show_elements()
        for dictionary in dict.fromkeys(self.dictionaries):
            for value in numbering.values[dictionary.name]:
                dictionary.number(value)
        for instance, which in numbering.steps:
            self.step_number(instance, which)

    def show_elements(self) -> set[int]:
        """Show the elements of split sets that came while a level was expanded.

        Returns:
            The instances that are forgotten, since what they do rested on that there
            are no more. They cannot be left out where they were disabled before.
        """
        stale = set() if self.split is None else self.split.show_elements(evaluate_call)
        if stale:
            self.tables.forget(stale)
        return stale

    def check_again(self, rows: npt.NDArray[Any]) -> None:
        """Look whether functions still come to what they came to, in some states.

        What was left out must be disabled in the first of them; other functions are
        run again in some, from the last to the first.

        Raises:
            ModelError: if one does not: so it reads what is no part of the state.
        """
        if self.left_out:
            plain = [self.state(row) for row in rows[:CHECKED].tolist()]
            require_idle(self.left_out, plain)
        numbers = without_later_parts(self.functions)
        pairs = len(rows) * len(numbers)
        stride = 1 + pairs // (MOST_LATE_RUNS if self.is_thorough else LATE_RUNS)
        while gcd(stride, len(numbers)) > 1:
            stride += 1
        states = rows.tolist()
        for pair in range(pairs - 1, -1, -stride):
            state, instance = pair // len(numbers), numbers[pair % len(numbers)]
            try:
                self._checker.check_again(instance, states[state])
            except ModelError as error:
                error.is_about(self.functions[instance].instance.function)
                raise

    def plain_runs(self, on_repeated: Callable[[int, RecordedRun], None]) -> PlainRuns:
        """Runs of its functions from which it learns nothing; see there."""
        # Imported only here: most searches need none.
        from replicheck.explorer.learning.plain.plain_runs import PlainRuns

        checked_by = self._recorder, self._checker, self._encoder
        return PlainRuns(*checked_by, self.premises, on_repeated)

    def learn(self, instance: int, row: Sequence[int]) -> None:
        """Make the tables know what an instance does in a state.

        Raises:
            ModelError: if it is not a function of the state, or breaks the contract.
        """
        if self.tables.trees.find(instance, row) == 0:
            self.learn_new(instance, row)

    def read_whole_for(self, *names: str) -> None:
        """Read a cell as a whole where it would be asked by one of these names."""
        self._recorder.read_whole_for = frozenset(names)

    def learn_new(self, instance: int, row: Sequence[int]) -> None:
        """Run an instance where the tables do not know what it does; else in vain.

        Raises:
            ModelError: if it is not a function of the state, or breaks the contract.
        """
        try:
            self._learn_new(instance, row)
        except ModelError as error:
            error.is_about(self.functions[instance].instance.function)
            raise

    def _learn_new(self, instance: int, row: Sequence[int]) -> None:
        run = self._recorder.run(instance, row)
        self._show_premise(instance, row)
        name = self.functions[instance].instance.name
        self._runs[name] = runs = self._runs[name] + 1
        if runs <= FIRST_RUNS or runs % self.sample == 0:
            plainly = self._checker.repeat(instance, row, run)
            self._checker.repeat_reordered(instance, row, plainly)
        if self.keep(instance, run):
            self.on_learned(instance, run)

    def keep(self, instance: int, run: RecordedRun) -> bool:
        """Put what a run read and what came of it into the tables.

        Returns:
            False if they had it.

        Raises:
            ModelError: if the tables know of a run that went on otherwise.
        """
        trees = self.tables.trees
        try:
            self.premise_reads[instance].note(run.reads, run.for_premises)
            code = DISABLED if run.leaf is None else trees.add_leaf(run.leaf)
            return trees.insert(instance, run.reads, code)
        except LookupError:
            if self.on_conflict(instance):
                return self.keep(instance, run)
            raise ModelError(
                f"`{self.functions[instance].instance.label}` is not a function of the"
                f" state: after the same answers it once went on otherwise. This run"
                f" read {describe_run(self.tables, run)}."
            ) from None

    def _show_premise(self, instance: int, row: Sequence[int]) -> None:
        """Look whether the premise of an instance holds in a state.

        States where an instance reads the same are alike to its premise, which it reads
        first; so it is enough to look where a path is learned.
        """
        claim = self.functions[instance].property
        if claim is not None and self.premises.are_open(claim.name):
            values = self.functions[instance].instance.values
            self.premises.show(claim.name, values, self.state(row))
