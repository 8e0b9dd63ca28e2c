"""Runs of the model, observed as logs would show them, are explained by the model."""

from __future__ import annotations

import attrs
import pytest

from observations.observed_runs import observed, random_run
from replicheck.cli.observations.observation_file import ObservationHeader
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from shipped import CATALOGUE

pytestmark = pytest.mark.slow

BOUNDS = {
    "brokers": 3,
    "directories": 2,
    "records": 2,
    "acknowledgements": 1,
    "metadata": 1,
    "isr_notifications": 1,
    "directory_failures": 1,
    "crashes": 1,
    "restarts": 1,
    "session_expiries": 1,
    "isr_shrinks": 2,
    "controller_moves": 1,
}
STEPS = 60
EFFORT = Effort(nodes=2500)


@pytest.mark.parametrize("initial", ["without-topic", "with-topic"])
@pytest.mark.parametrize("seed", range(4))
def test_a_run_of_the_model_is_explained(seed: int, initial: str) -> None:
    """What a run shows is shown by a run, if only by itself."""
    system = CATALOGUE.systems["cluster"]
    bounds = system.bounds(**BOUNDS)
    model = attrs.evolve(
        system.build(system.protocols[0], bounds),
        start=system.initials[initial](bounds),
    )
    header = ObservationHeader(initial=initial, bounds=BOUNDS)
    file = observed(system, header, random_run(model, STEPS, seed))
    found = validate(CATALOGUE, file, "observed", EFFORT)
    assert found.explanation.ending is ExplanationEnding.EXPLAINED
    assert found.explanation.explained == len(file.observations)


def test_a_topic_without_an_observed_creation_is_on_all_brokers() -> None:
    """Observation may begin when the topic was there."""
    system = CATALOGUE.systems["cluster"]
    bounds = system.bounds(**BOUNDS)
    model = attrs.evolve(
        system.build(system.protocols[0], bounds),
        start=system.initials["with-topic"](bounds),
    )
    header = ObservationHeader(initial="with-topic")
    file = observed(system, header, random_run(model, 20, seed=1))
    found = validate(CATALOGUE, file, "observed", EFFORT)
    assert found.bounds["spare_brokers"] == 0
    assert found.explanation.ending is ExplanationEnding.EXPLAINED
