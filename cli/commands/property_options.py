"""Options that say which properties are judged, those of a user's own among them."""

from __future__ import annotations

from typing import NamedTuple

import click
from attrs import evolve

from replicheck.cli.commands.option_groups import ScenarioOptions
from replicheck.cli.console.grouped_options import option_group
from replicheck.cli.tasks.overrides import Claims, Overrides
from replicheck.invariants.catalogue.scenario import Names


class PropertyOptions(NamedTuple):
    """The properties that are judged; none are all of the scenario."""

    properties: Names = ()
    step_properties: Names = ()
    witnesses: Names = ()

    def overrides(self, changes: ScenarioOptions) -> Overrides:
        """Overrides with these properties and the changes of a scenario."""
        claims = Claims(self.step_properties, self.witnesses)
        return evolve(changes.overrides(), properties=self.properties, claims=claims)


invariant_option = click.option(
    "--invariant",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Judge this invariant, step property or witness, and no other but"
    " those named in the same way. FILE.py:FUNCTION is one of yours.",
)
step_option = click.option(
    "--step",
    "step_properties",
    multiple=True,
    metavar="NAME",
    help="Judge this step property, likewise: a function of two states.",
)
witness_option = click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="NAME",
    help="Look for this witness, likewise.",
)
judged_options = option_group(
    "wanted", PropertyOptions, (invariant_option, step_option)
)
"""Options of a command that looks for no witness."""
property_options = option_group(
    "wanted", PropertyOptions, (invariant_option, step_option, witness_option)
)
