"""Step reductions: steps taken together where no property can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import frozen

from replicheck.model.protocol import Protocol


@frozen
class StepReduction:
    """A way to take steps together that changes no answer.

    ``summary`` says which, and ``reason`` why no property can tell: which process alone
    sees the step. ``of`` returns a protocol with the reduction, and
    raises ValueError where that would change an answer. ``spared`` names the actions
    for which it may leave nothing to do.
    """

    name: str
    summary: str
    reason: str
    of: Callable[[Protocol], Protocol]
    spared: tuple[str, ...] = ()

    def allows(self, protocol: Protocol) -> bool:
        """Tell whether the reduction leaves the answers of a protocol as they are."""
        try:
            self.of(protocol)
        except ValueError:
            return False
        return True


def reduced(protocol: Protocol, reductions: Iterable[StepReduction]) -> Protocol:
    """A protocol with some reductions, under its name.

    Raises:
        ValueError: if one would change an answer.
    """
    for reduction in reductions:
        protocol = reduction.of(protocol)
    return protocol
