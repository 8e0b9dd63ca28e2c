"""What a user names besides what is shipped: models and properties by reference."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve

from replicheck.invariants.catalogue.own.model_loading import own_scenario, system_at
from replicheck.invariants.catalogue.own.own_properties import (
    KINDS,
    with_own_properties,
)
from replicheck.invariants.catalogue.own.references import (
    is_reference,
    relative_reference,
)
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.catalogue.toml_schema import (
    CheckTable,
    ScenarioTable,
    SuiteTable,
)

Systems = MutableMapping[str, System]
Scenarios = MutableMapping[str, Scenario]
Table = TypeVar("Table", CheckTable, ScenarioTable)


def add_model(
    systems: Systems, scenarios: Scenarios, reference: str, folder: Path = Path()
) -> str:
    """Run the code of a model and add it; its name from now on.

    Raises:
        ScenarioError: if there is no such model, or it cannot be explored.
    """
    name = relative_reference(reference, folder)
    if name not in systems:
        systems[name] = system_at(name, name)
    if name not in scenarios:
        scenarios[name] = own_scenario(systems[name])
    return name


def with_own_names(
    table: SuiteTable, systems: Systems, scenarios: Scenarios, folder: Path
) -> SuiteTable:
    """Suite whose references to models and properties are names that are known.

    Raises:
        ScenarioError: if there is no such model or property.
    """

    def model(name: str) -> str:
        if not is_reference(name):
            return name
        return add_model(systems, scenarios, name, folder)

    def claims(table: Table, model: str) -> Table:
        for kind in KINDS:
            names = getattr(table, kind) or ()
            if any(map(is_reference, names)) and model in systems:
                systems[model], known = with_own_properties(
                    systems[model], names, kind, folder
                )
                changed: dict[str, Any] = {kind: known}
                table = evolve(table, **changed)
        return table

    own = {}
    for name, scenario in table.scenarios.items():
        scenario = evolve(scenario, model=model(scenario.model))
        own[name] = claims(scenario, scenario.model)
    checks = []
    for check in table.check:
        check = evolve(check, scenario=model(check.scenario))
        found = own.get(check.scenario) or scenarios.get(check.scenario)
        checks.append(claims(check, found.model if found else ""))
    return evolve(table, check=tuple(checks), scenarios=own)
