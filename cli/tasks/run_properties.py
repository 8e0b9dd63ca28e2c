"""Claims about runs, from the form of a model to that of the engines."""

from __future__ import annotations

from replicheck.explorer.properties import Property, eventually_always, leads_to
from replicheck.model.modelling.run_claims import RunClaim


def property_of(claim: RunClaim) -> Property:
    """A claim about runs as engines take it."""
    if claim.goal is None:
        return eventually_always(claim.condition)
    return leads_to(claim.condition, claim.goal)
