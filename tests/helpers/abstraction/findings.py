"""What the steps of a model are in the abstract, and which are nothing there."""

from __future__ import annotations

from attrs import frozen

from abstraction.edges import Concrete, Edge, edges, is_of_a_late_answer
from abstraction.steps import AbstractSteps, Row, Way


@frozen
class Findings:
    """What the steps of a scenario are in the abstract."""

    steps: int
    ways: tuple[Way, ...]
    late: int
    unexplained: tuple[Edge, ...]


def look_at(concrete: Concrete, rows: tuple[Row, ...]) -> Findings:
    """Look for the way of every step, by some rows."""
    steps = AbstractSteps(concrete.bounds, rows)
    total = 0
    ways: dict[Way, None] = {}
    others = []
    for edge in edges(concrete):
        total += 1
        assert edge.hides_only_cuts, edge.label
        if edge.is_visible():
            way = steps.way(edge.action, edge.before, edge.after)
            if way is None:
                others.append(edge)
            else:
                ways[way] = None
    late = [edge for edge in others if is_of_a_late_answer(edge)]
    unexplained = tuple(edge for edge in others if edge not in late)
    return Findings(total, tuple(ways), len(late), unexplained)


def breaks(edge: Edge, steps: AbstractSteps) -> bool:
    """Tell whether a step is no abstract step, or changes a log unseen."""
    if not edge.hides_only_cuts:
        return True
    if not edge.is_visible() or is_of_a_late_answer(edge):
        return False
    return steps.way(edge.action, edge.before, edge.after) is None
