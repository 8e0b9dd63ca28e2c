"""A learned model: what is known of a model, and the numbers by which it is known.

What only reads takes a `LearnedModel`. A walk of the trees may come upon an answer
that they lack, so most of a search takes the `Learner`, which adds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.interpreter.vacuity import Premises
from replicheck.explorer.learning.learned_functions import LearnedFunction
from replicheck.explorer.learning.premise_reads import PremiseReads
from replicheck.explorer.learning.read_write_sets import ReadWriteSet
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.states.encoding import Encoding
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.symmetry import Images, products
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.state_encoder import StateEncoder
from replicheck.explorer.tables.tables import Tables


@frozen
class Numbering:
    """The values of each family of cells and the steps, in the order of their numbers.

    A step is an instance, and which of its steps it is.
    """

    values: Mapping[str, tuple[Any, ...]]
    steps: tuple[tuple[int, int], ...]
    encoding: Encoding
    """How cells are learned."""


class StepNumbers:
    """Numbers of steps, in the order in which the steps were first seen."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        """The instance of each step number, and which of its steps it is."""
        self._numbers: dict[tuple[int, int], int] = {}

    def number(self, instance: int, place: int) -> int:
        """The number of a step of an instance, a new one if it is new."""
        number = self._numbers.get((instance, place))
        if number is None:
            number = self._numbers[instance, place] = len(self.steps)
            self.steps.append((instance, place))
        return number


class LearnedModel:
    """Tables, numbers and functions of a model, as far as they are known."""

    def __init__(
        self,
        model: Model[Any],
        properties: Sequence[Property],
        symmetries: Sequence[Symmetry],
        starts: Sequence[Any],
        functions: Sequence[LearnedFunction],
        layout: Layout,
        encoding: Encoding,
    ) -> None:
        self.model, self.symmetries, self.starts = model, symmetries, starts
        self.functions = tuple(functions)
        """The instances that the tables have a tree of."""
        self.has_parts = any(function.part is not None for function in functions)
        self.layout = layout
        whole = {name: of for name, of in encoding.cells.items() if of.is_whole}
        self.kept_encoding = Encoding({**layout.set_encodings, **whole}, encoding.loops)
        """The fields of split sets, and those of which values are read as a whole."""
        self.dictionaries = _dictionaries(self.layout, Hasher(), symmetries)
        self.premises = Premises(properties)
        self.step_properties = [
            claim for claim in properties if claim.kind is Kind.STEP
        ]
        """In the order of their bits in `Tables`."""
        self.tables = Tables(self.layout, self.dictionaries, symmetries, len(functions))
        self.read_write_sets = tuple(ReadWriteSet() for _ in functions)
        """The cells that each instance was seen to read and to write."""
        self.premise_reads = tuple(PremiseReads() for _ in functions)
        self._step_numbers = StepNumbers()
        encoder = StateEncoder(self.layout, self.tables.dictionaries, starts[0])
        self._encoder, self.row, self.state = encoder, encoder.row, encoder.state
        self.values = encoder.values

    @property
    def steps(self) -> list[tuple[int, int]]:
        """The instance of each step number, and which of its steps it is."""
        return self._step_numbers.steps

    @property
    def numbering(self) -> Numbering:
        """Meaning of the numbers of values and steps so far."""
        values = {
            dictionary.name: tuple(dictionary.values)
            for dictionary in self.dictionaries
        }
        return Numbering(values, tuple(self.steps), self.kept_encoding)

    def fingerprints(self, rows: npt.NDArray[Any]) -> list[int]:
        """The fingerprints of rows: under the renaming that makes them least."""
        tables = self.tables.arrays()
        words = tables.words.reshape(-1, self.tables.permutations)
        indices = tables.first[:-1] + rows
        fingerprints = np.bitwise_xor.reduce(words[indices], axis=1).min(axis=1)
        return [int(fingerprint) or 1 for fingerprint in fingerprints]


def _dictionaries(
    layout: Layout, hasher: Hasher, symmetries: Sequence[Symmetry]
) -> tuple[Dictionary, ...]:
    """The dictionary of each cell, shared within a family."""
    by_family: dict[str, Dictionary] = {}
    images = _images(layout, hasher, symmetries)
    for family, of_column in zip(layout.families, images, strict=True):
        if family not in by_family:
            dictionary = by_family[family] = Dictionary(family, hasher, of_column)
            if family in layout.shapes:
                dictionary.require = partial(layout.require_cell, family)
    return tuple(by_family[family] for family in layout.families)


def _images(
    layout: Layout, hasher: Hasher, symmetries: Sequence[Symmetry]
) -> Iterator[Images | None]:
    """Yield for each column what renamings make of its values, once for each field."""
    if not symmetries:
        yield from [None] * len(layout.cells)
        return
    made_of = products(symmetries)
    of_fields: dict[str, Images] = {}
    for cell, of in zip(layout.cells, layout.set_classes, strict=True):
        if cell.field not in of_fields:
            of_fields[cell.field] = Images(symmetries, made_of, hasher)
        images = of_fields[cell.field]
        yield images if of is None else images.of_items(of)
