"""Files with saved runs, read with the classes of their models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from replicheck.cli.console.errors import BadInput
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.own.references import (
    is_reference,
    known_as,
    why_unknown,
)
from replicheck.traces.json_lines import (
    Header,
    SavedTrace,
    TraceError,
    read,
    read_header,
)
from replicheck.traces.value_classes import value_classes


def read_trace(catalogue: Catalogue, path: Path) -> SavedTrace:
    """The trace in a file.

    Raises:
        BadInput: if there is none.
    """
    with _readable(path):
        return read(path, partial(classes_of, catalogue, source=str(path)))


def read_trace_header(path: Path) -> Header:
    """The header of the trace in a file, also if its model is not known.

    Raises:
        BadInput: if there is none.
    """
    with _readable(path):
        return read_header(path)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    except TraceError as error:
        raise BadInput(str(error)) from error


def classes_of(
    catalogue: Catalogue, model: str, source: str = "the trace"
) -> Mapping[str, type]:
    """Classes of the values of a model, by name; ``source`` is what names the model.

    Raises:
        BadInput: if there is no such model.
    """
    name = known_as(model, catalogue.systems)
    if name not in catalogue.systems:
        raise BadInput(str(no_model(Place(source), model, catalogue)))
    system = catalogue.systems[name]
    return value_classes(system.state, system.mentioned)


def no_model(place: Place, model: str, catalogue: Catalogue) -> ScenarioError:
    """The error that a run is of a model which is not known."""
    if is_reference(model):
        return place.error(why_unknown(model, catalogue.systems))
    return place.unknown("model", model, catalogue.systems)
