"""Properties of a model by name, as searches take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from replicheck.explorer.properties import Property, always, every_step, sometimes

Predicates = Iterable[Callable[..., bool]]


def properties_of(
    safety: Predicates, steps: Predicates, witnesses: Predicates
) -> dict[str, Property]:
    """Properties of a model by name."""
    claims = (
        *map(always, safety),
        *map(every_step, steps),
        *map(sometimes, witnesses),
    )
    return {claim.name: claim for claim in claims}
