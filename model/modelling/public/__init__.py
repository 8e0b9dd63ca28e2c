"""What a model of one's own is written with; see docs/modelling.md."""

from replicheck.model.modelling.containers import Bag, Map, Optional, Queue, Set
from replicheck.model.modelling.errors import ModellingError
from replicheck.model.modelling.model import Model
from replicheck.model.modelling.values import (
    Bounds,
    Id,
    State,
    Value,
    bound,
    budget,
    constant,
)

__all__ = [
    "Bag",
    "Bounds",
    "Id",
    "Map",
    "Model",
    "ModellingError",
    "Optional",
    "Queue",
    "Set",
    "State",
    "Value",
    "bound",
    "budget",
    "constant",
]
