"""Claims about runs for ever, judged on a graph: each by the first lasso against it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.liveness.fair_components import fair_components, has_cycle
from replicheck.explorer.liveness.lasso import Lasso, LoopSearch, shortest_stem
from replicheck.explorer.liveness.state_graph import StateGraph
from replicheck.explorer.model import Domains
from replicheck.explorer.native.kernels.arrays import Numbers
from replicheck.explorer.native.kernels.liveness.graph_arrays import NO_COMPONENT
from replicheck.explorer.properties import Kind, Property

Fair = npt.NDArray[np.uint8]


@frozen
class ClaimInstance:
    """A claim with values for its parameters; the goal is there if it has one."""

    claim: Property
    condition: Instance
    goal: Instance | None

    @property
    def label(self) -> str:
        """The instance as a person would write it."""
        if self.goal is None:
            return self.condition.label
        return f"{self.condition.label} leads to {self.goal.label}"


def claim_instances(claim: Property, domains: Domains) -> Iterator[ClaimInstance]:
    """Yield the instances of a claim about runs for ever.

    Raises:
        ModelError: if its goal has a parameter that its condition does not have.
    """
    assert claim.predicate is not None, "a claim about runs has a predicate"
    for condition in instances([claim.predicate], domains):
        if claim.goal is None:
            yield ClaimInstance(claim, condition, None)
            continue
        known = dict(condition.arguments)
        (first, *_) = instances([claim.goal], domains)
        names = [name for name, _ in first.arguments]
        lacking = [name for name in names if name not in known]
        if lacking:
            raise ModelError(
                f"`{claim.goal.__name__}` has the parameter `{lacking[0]}`, which"
                f" `{claim.predicate.__name__}` does not have: what leads to it has"
                " all of its parameters, by the same names"
            )
        arguments = tuple((name, known[name]) for name in names)
        yield ClaimInstance(claim, condition, Instance(claim.goal, arguments))


@frozen(eq=False)
class LivenessJudge:
    """Judges instances on one graph.

    ``fairness`` is that of each instance of the graph, ``fair`` has for each state its
    fair component.
    """

    graph: StateGraph
    fairness: Fair
    fair: Numbers

    @classmethod
    def of(cls, graph: StateGraph, fairness: Fair) -> LivenessJudge:
        """Find the fair components of a graph."""
        if not graph.is_acyclic and not has_cycle(graph):
            graph = evolve(graph, is_acyclic=True)
        everything = np.ones(graph.count, np.uint8)
        return cls(graph, fairness, fair_components(graph, fairness, everything))

    def lasso(self, instance: ClaimInstance) -> Lasso | None:
        """The shortest way to a fair loop that breaks an instance, if there is one."""
        if instance.claim.kind is Kind.LEADS_TO:
            return self._lasso_of_leads_to(instance)
        return self._lasso_of_eventually_always(instance)

    def is_ever_asked(self, instance: ClaimInstance) -> bool:
        """Tell whether the condition of an instance that has a goal holds anywhere."""
        is_claimed = instance.goal is None
        return is_claimed or bool(self.graph.fulfilling(instance.condition).any())

    def _lasso_of_eventually_always(self, instance: ClaimInstance) -> Lasso | None:
        broken = 1 - self.graph.fulfilling(instance.condition)
        inside = (broken != 0) & (self.fair != NO_COMPONENT)
        if not inside.any():
            return None
        components = np.zeros(int(self.fair.max()) + 1, np.bool_)
        components[self.fair[inside]] = True
        candidates = (self.fair != NO_COMPONENT) & components[self.fair]
        entry = int(np.argmax(candidates))
        loop = LoopSearch(self.graph, self.fairness, self.fair).loop(entry, broken)
        return Lasso(entry, (), loop)

    def _lasso_of_leads_to(self, instance: ClaimInstance) -> Lasso | None:
        assert instance.goal is not None, "it leads to something"
        open_states = 1 - self.graph.fulfilling(instance.goal)
        starts = self.graph.fulfilling(instance.condition) & open_states
        if not starts.any():
            return None
        fair = fair_components(self.graph, self.fairness, open_states)
        found = shortest_stem(self.graph, starts, open_states, fair)
        if found is None:
            return None
        start, stem = found
        entry = int(self.graph.edges.targets[stem[-1]]) if stem else start
        loop = LoopSearch(self.graph, self.fairness, fair).loop(entry)
        return Lasso(start, stem, loop)
