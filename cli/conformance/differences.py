"""Cells in which two normal forms differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

ABSENT = "—"
"""Stands for a cell that one of the two does not have."""


@frozen
class Difference:
    """One cell, such as ``broker 1/partition 0/log/end``, and what each side has."""

    cell: str
    model: Any
    kafka: Any

    def __str__(self) -> str:
        return f"{self.cell}: model {self.model}, Kafka {self.kafka}"


def differences(model: Any, kafka: Any, cell: str = "") -> Iterator[Difference]:
    """Yield each cell in which two normal forms differ, in the order of their names."""
    if model == kafka:
        return
    if isinstance(model, Mapping) and isinstance(kafka, Mapping):
        for name in sorted({*model, *kafka}):
            inner = f"{cell}/{name}" if cell else name
            kafka_value = kafka.get(name, ABSENT)
            yield from differences(model.get(name, ABSENT), kafka_value, inner)
    else:
        yield Difference(cell, model, kafka)
