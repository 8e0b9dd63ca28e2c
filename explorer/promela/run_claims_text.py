"""Claims about runs for ever in Promela: each instance of an action is a process.

Spin knows one fairness, the weak one of processes (``pan -f``): a process that stays
able to move, moves. So an action with weak fairness is a process for each choice of its
arguments. Actions without fairness are one process together, which can always do
nothing, and so is fair in every run. A claim is a never claim for each choice of its
arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.liveness.claims import ClaimInstance
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.model import ActionFunction, Predicate
from replicheck.explorer.native.kernels.liveness.graph_arrays import NO_FAIRNESS
from replicheck.explorer.promela.conditions import FALSE, MET
from replicheck.explorer.promela.constant_tables import arrays, declaration, filling
from replicheck.explorer.promela.exhaustive_search import ExhaustiveResult
from replicheck.explorer.promela.identifiers import Identifiers
from replicheck.explorer.promela.model_text import beginning, starts_of, variables
from replicheck.explorer.promela.text import INDENT, comment, wrapped
from replicheck.explorer.promela.transitions import Transitions

BEGUN = "has_begun"
"""The variable that tells that an initial state was chosen."""
PROCESSES_A_COUNTER, UNUSED_COUNTERS = 4, 2
"""With ``-DNFAIR=2`` ``pan -f`` takes 6 processes, and 4 more with each more."""


@frozen
class JudgedRuns:
    """Claims about runs and what they are judged by.

    ``marks`` are the actions of the search that stand for predicates of the claims.
    """

    claims: Sequence[ClaimInstance]
    fairness: Fairness
    marks: Mapping[ActionFunction, Predicate]


def promela_of_runs(
    found: ExhaustiveResult,
    judged: JudgedRuns,
    about: Sequence[str] = (),
    file: str = "model.pml",
) -> str:
    """The text of a model with claims about runs for ever.

    Args:
        found: the search of the model with its marks.
        judged: the claims.
        about: lines on where the model comes from.
        file: the name under which the text will be kept.
    """
    return "\n".join(_RunsDocument(found, judged).lines(about, file)) + "\n"


class _RunsDocument:
    def __init__(self, found: ExhaustiveResult, judged: JudgedRuns) -> None:
        self.found, self.judged = found, judged
        self.learner = found.learner
        self.identifiers = Identifiers(self.learner.tables)
        self.transitions = Transitions(self.identifiers, self.learner)
        instances = [function.instance for function in self.learner.functions]
        fairness = judged.fairness.of(instances).tolist()
        actions = [
            number
            for number, instance in enumerate(instances)
            if instance.function not in judged.marks
        ]
        self.fair = [
            number
            for number in actions
            if fairness[number] != NO_FAIRNESS
            and self.transitions.enabling(number) != FALSE
        ]
        self.environment = [number for number in actions if number not in self.fair]
        self.marked = {
            Instance(judged.marks[instance.function], instance.arguments): number
            for number, instance in enumerate(instances)
            if instance.function in judged.marks
        }
        self.names = {
            claim.label: self.identifiers.names.give(claim.label)
            for claim in judged.claims
        }

    def lines(self, about: Sequence[str], file: str) -> Iterator[str]:
        """Yield the lines of the model; processes first, as they ask for tables."""
        processes = list(self._processes())
        claims = list(self._claims())
        tables = list(arrays(self.identifiers))
        yield from comment(*self._header(about, file))
        yield from variables(self.learner, self.identifiers)
        for array in tables:
            yield ""
            yield from declaration(array)
        if tables:
            yield ""
            yield from filling(tables)
        yield ""
        yield f"hidden byte {MET};"
        yield f"bool {BEGUN};"
        yield from processes
        yield from claims

    def _header(self, about: Sequence[str], file: str) -> Iterator[str]:
        processes = len(self.fair) + 2
        counters = -(-(processes + UNUSED_COUNTERS) // PROCESSES_A_COUNTER)
        longest = 256 + 4 * len(self.identifiers.cells) + 8 * processes
        options = f"-O2 -DNOREDUCE -DNFAIR={counters} -DMA={longest} -DVECTORSZ=2048"
        yield "A model with claims about runs for ever, for Spin, by replicheck."
        yield ""
        yield from about
        yield ""
        yield "An action with weak fairness is a process for each choice of arguments;"
        yield "the others are the process `environment`, which may do nothing for ever."
        yield ""
        yield f"replicheck: {self.found.states} distinct states"
        yield ""
        yield "Without -DMA, `pan -f` of Spin 6.5.2 takes one state for many."
        yield ""
        yield f"    spin -a {file}"
        yield f"    gcc {options} -o pan pan.c"
        depth = max(10_000, 4 * self.found.states * processes)
        for name in self.names.values():
            yield f"    ./pan -a -f -m{depth} -N {name}"

    def _processes(self) -> Iterator[str]:
        for number in self.fair:
            label = self.learner.functions[number].instance.label
            name = self.identifiers.names.give(f"take_{label}")
            yield from _process(name, self.transitions.action(number, f"{BEGUN} && "))
        steps = [
            line
            for number in self.environment
            for line in self.transitions.action(number, f"{BEGUN} && ")
        ]
        name = self.identifiers.names.give("environment")
        begin = beginning(starts_of(self.learner), self.identifiers, f"{BEGUN} = 1")
        yield from _process(name, [*steps, f"{INDENT}:: {BEGUN}"], begin)

    def _claims(self) -> Iterator[str]:
        for claim in self.judged.claims:
            holds = self._condition(claim.condition)
            yield ""
            yield f"never {self.names[claim.label]} {{"
            if claim.goal is None:
                yield from _always_again(f"{BEGUN} && !{holds}")
            else:
                goal = self._condition(claim.goal)
                yield from _for_ever(f"{BEGUN} && {holds} && !{goal}", f"!{goal}")
            yield "}"

    def _condition(self, instance: Instance) -> str:
        """Where an instance holds; one that is not learned holds nowhere."""
        number = self.marked.get(instance)
        return f"({FALSE if number is None else self.transitions.enabling(number)})"


def _process(
    name: str, alternatives: Iterable[str], begin: Iterable[str] = ()
) -> Iterator[str]:
    yield ""
    yield f"active proctype {name}()"
    yield "{"
    yield from begin
    yield f"end_of_{name}:"
    yield f"{INDENT}do"
    yield f"{INDENT}:: false"
    yield from alternatives
    yield f"{INDENT}od"
    yield "}"


def _for_ever(begin: str, kept: str) -> Iterator[str]:
    """Yield a claim of runs that at some time begin to keep a condition."""
    yield "waits:"
    yield f"{INDENT}do"
    yield f"{INDENT}:: true"
    yield from wrapped(f":: {begin} -> goto accept", INDENT)
    yield f"{INDENT}od;"
    yield "accept:"
    yield f"{INDENT}do"
    yield from wrapped(f":: {kept}", INDENT)
    yield f"{INDENT}od"


def _always_again(condition: str) -> Iterator[str]:
    """Yield a claim of runs that fulfil a condition again and again."""
    yield "waits:"
    yield f"{INDENT}do"
    yield f"{INDENT}:: true"
    yield from wrapped(f":: {condition} -> goto accept", INDENT)
    yield f"{INDENT}od;"
    yield "accept:"
    yield f"{INDENT}do"
    yield f"{INDENT}:: true -> goto waits"
    yield f"{INDENT}od"
