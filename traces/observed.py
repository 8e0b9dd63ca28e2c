"""What the real system had at the end of a run, where it is not what the model has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict, field, frozen
from attrs.validators import deep_mapping, instance_of

FURTHER = "not observed, and not part of the run"
"""Begins what is told of a step that would have led on from a run to a violation."""


@frozen
class Values:
    """The value of one cell on either side, as text."""

    model: str = field(validator=instance_of(str))
    real: str = field(validator=instance_of(str))


@frozen
class Observed:
    """The cells in which a real system differs after the last step of a run.

    ``system`` is its name and version; ``cells`` are by the name of the cell.
    """

    system: str = field(validator=instance_of(str))
    cells: Mapping[str, Values] = field(
        validator=deep_mapping(instance_of(str), instance_of(Values))
    )

    def to_json(self) -> dict[str, Any]:
        """Form as JSON."""
        cells = {name: asdict(values) for name, values in self.cells.items()}
        return {"system": self.system, "cells": cells}


def observed_of(form: Mapping[str, Any] | Observed | None) -> Observed | None:
    """What the header of a trace has, if anything: what `Observed.to_json` wrote."""
    if form is None or isinstance(form, Observed):
        return form
    cells = {name: Values(**values) for name, values in form["cells"].items()}
    return Observed(form["system"], cells)
