"""Claims about runs, from the form of a model to that of the engines."""

from __future__ import annotations

from replicheck.explorer.properties import Property, eventually_always, leads_to
from replicheck.invariants.catalogue.systems import System
from replicheck.model.modelling.run_claims import RunClaim


def every_run_claim(system: System) -> tuple[Property, ...]:
    """All claims that a model has about runs."""
    return tuple(map(property_of, system.run_claims))


def property_of(claim: RunClaim) -> Property:
    """A claim about runs as engines take it."""
    if claim.goal is None:
        return eventually_always(claim.condition)
    return leads_to(claim.condition, claim.goal)
