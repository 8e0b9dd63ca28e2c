"""Liveness by sets of Python: fair runs as they are defined, on a few states.

A claim that P leads to Q is broken if a fair run goes on for ever with a debt: it has
seen P, and no Q since. So the states are paired with that debt, and a set of pairs with
debt, each reachable from each other within the set, is looked for that a fair run can
visit for ever. Of ``eventually always P`` the set has a state without P.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.properties import Kind, Property

Pair = tuple[Any, bool]
"""A state, and whether a debt is open."""


@frozen
class Graph:
    """For each state what instances lead to; a step that changes nothing is none."""

    starts: tuple[Any, ...]
    steps: Mapping[Any, Mapping[Instance, frozenset[Any]]]


def graph_of(model: Any, most: int) -> Graph | None:
    """The graph of a model, or None if it has more states."""
    actions = instances(model.actions, model.domains)
    steps: dict[Any, dict[Instance, frozenset[Any]]] = {}
    todo = starts = list(dict.fromkeys(model.initial_states()))
    while todo:
        state, *todo = todo
        if state in steps:
            continue
        if len(steps) == most:
            return None
        found = {action: frozenset(action(state)) - {state} for action in actions}
        steps[state] = {action: after for action, after in found.items() if after}
        todo = [*todo, *(after for to in steps[state].values() for after in to)]
    return Graph(tuple(starts), steps)


def is_broken(graph: Graph, claim: Property, domains: Any, fairness: Fairness) -> bool:
    """Tell whether a fair run breaks a claim about runs for ever."""
    assert claim.predicate is not None
    conditions = instances([claim.predicate], domains)
    if claim.kind is Kind.EVENTUALLY_ALWAYS:
        everything = set(graph.steps)
        return any(
            _has_fair_run(graph, fairness, everything, partial(_is_false, condition))
            for condition in conditions
        )
    assert claim.goal is not None
    goals = {g.arguments: g for g in instances([claim.goal], domains)}
    for condition in conditions:
        takes = [name for name, _ in next(iter(goals))]
        arguments = tuple(kv for kv in condition.arguments if kv[0] in takes)
        goal = goals[arguments]
        owing = _owing(graph, condition, goal)
        if _has_fair_run(graph, fairness, owing, lambda state: True):
            return True
    return False


def _is_false(condition: Instance, state: Any) -> bool:
    return not condition(state)


def _owing(graph: Graph, condition: Instance, goal: Instance) -> set[Any]:
    """The states that can be reached with an open debt."""

    def pair(state: Any, before: bool) -> Pair:
        return state, (before or condition(state)) and not goal(state)

    todo = [pair(state, False) for state in graph.starts]
    seen: set[Pair] = set()
    while todo:
        state, debt = todo.pop()
        if (state, debt) in seen:
            continue
        seen.add((state, debt))
        for after in graph.steps[state].values():
            todo += [pair(target, debt) for target in after]
    return {state for state, debt in seen if debt}


def _has_fair_run(
    graph: Graph, fairness: Fairness, kept: set[Any], counts: Callable[[Any], bool]
) -> bool:
    """Tell whether a fair run stays in some states, and visits one that counts."""
    for component in _components(graph, kept):
        if not any(map(counts, component)):
            continue
        unmet = set(_unmet(graph, fairness, component))
        if not unmet:
            return True
        strong = {action for action in unmet if action.name in fairness.strong}
        rest = {s for s in component if not strong & graph.steps[s].keys()}
        if strong and _has_fair_run(graph, fairness, rest, counts):
            return True
    return False


def _unmet(graph: Graph, fairness: Fairness, component: set[Any]) -> Iterable[Instance]:
    """Yield the instances that a run which visits all of a component leaves out."""
    for action in {action for state in component for action in graph.steps[state]}:
        if action.name in fairness.environment - fairness.strong:
            continue
        enabled = [state for state in component if action in graph.steps[state]]
        is_taken = any(graph.steps[state][action] & component for state in enabled)
        is_weak = action.name not in fairness.strong
        if not is_taken and (not is_weak or len(enabled) == len(component)):
            yield action


def _components(graph: Graph, kept: set[Any]) -> Iterable[set[Any]]:
    """Yield the sets of kept states that are reachable from each other, or alone."""
    ahead = {state: _reachable(graph, kept, state) for state in kept}
    todo = set(kept)
    while todo:
        state = todo.pop()
        component = {s for s in ahead[state] if state in ahead[s]}
        todo -= component
        yield component


def _reachable(graph: Graph, kept: set[Any], state: Any) -> set[Any]:
    found, todo = {state}, [state]
    while todo:
        for after in graph.steps[todo.pop()].values():
            new = (after & kept) - found
            found |= new
            todo += new
    return found


def require_lasso(
    graph: Graph, claim: Property, fairness: Fairness, violation: Any, domains: Any
) -> None:
    """Take the run of a violation: it is real, it is fair, and it breaks a claim."""
    states, steps, begin = violation.trace.states, violation.trace.steps, violation.loop
    assert states[0] in graph.starts
    taken = []
    for before, step in zip(states, steps, strict=False):
        (action,) = (
            a
            for a in graph.steps[before]
            if (a.name, dict(a.arguments)) == (step.action, dict(step.arguments))
        )
        assert step.state in graph.steps[before][action]
        taken.append(action)
    assert states[begin] == states[-1]
    looping = set(states[begin:])
    for action in {a for state in looping for a in graph.steps[state]}:
        enabled = [state for state in looping if action in graph.steps[state]]
        if action in taken[begin:]:
            continue
        if action.name in fairness.strong:
            assert not enabled
        elif action.name not in fairness.environment:
            assert len(enabled) < len(looping)
    labels = _labels(claim, domains)
    condition, goal = labels[violation.instance]
    if goal is None:
        assert not all(map(condition, looping))
        return
    owing = [condition(state) and not goal(state) for state in states]
    assert any(
        owing[place] and not any(map(goal, states[place:]))
        for place in range(begin + 1)
    )


def _labels(
    claim: Property, domains: Any
) -> Mapping[str, tuple[Instance, Instance | None]]:
    conditions = instances([claim.predicate], domains) if claim.predicate else ()
    if claim.goal is None:
        return {p.label: (p, None) for p in conditions}
    goals = instances([claim.goal], domains)
    return {f"{p.label} leads to {q.label}": (p, q) for p in conditions for q in goals}
