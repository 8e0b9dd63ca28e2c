"""Models that are offered by name: by replicheck itself, and by installed packages.

Each offer is a name with a reference ``package.module:NAME``, as an entry point has it.
Scenarios and mutants of a model are files beside its module: the folder ``scenarios``,
and ``mutants.toml`` or the folder ``mutants``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from operator import itemgetter
from typing import TYPE_CHECKING

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.lazy_mapping import Deferred, Lazily

if TYPE_CHECKING:
    from replicheck.invariants.catalogue.systems import System

References = Mapping[str, str]
"""For each name of a model a reference to it."""
SHIPPED: References = {
    "replication": "replicheck.invariants.replication.system:MODEL",
    "cluster": "replicheck.invariants.cluster.system:MODEL",
    "fetching": "replicheck.invariants.fetching.system:MODEL",
    "alter-isr": "replicheck.invariants.alter_isr.system:MODEL",
    "composed": "replicheck.invariants.composed.system:MODEL",
    "kraft": "replicheck.invariants.kraft.system:MODEL",
    "kraft-composed": "replicheck.invariants.kraft_composed.system:MODEL",
}
"""Offers of replicheck itself, in the order in which they are listed.

They are here as in metadata of a package, which takes a check too long to read.
"""
GROUP = "replicheck.models"
"""The entry points by which an installed package offers models."""


@cache
def installed() -> References:
    """Offers of installed packages, read when they are first asked for."""
    return Deferred(_entry_points)


def _entry_points() -> dict[str, str]:
    # Imported only here: a check of what is shipped reads no metadata of packages.
    from importlib.metadata import entry_points

    offers = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: point.value for point in offers}


def offered(own: References) -> tuple[References, References]:
    """Offers by name, and behind them those of installed packages.

    A name that both have means the first.
    """
    return own, Deferred(
        lambda: {name: at for name, at in installed().items() if name not in own}
    )


def systems_of(references: References) -> Mapping[str, System]:
    """Models by name, each loaded when it is first asked for."""
    return Lazily(
        Deferred(
            lambda: {
                name: partial(_system, name, reference)
                for name, reference in references.items()
            }
        )
    )


def _system(name: str, reference: str) -> System:
    from replicheck.invariants.catalogue.own.model_loading import system_at

    return system_at(reference, name)


def scenario_files(reference: str) -> list[tuple[Traversable, str, Place]]:
    """Files of scenarios beside a model, with their names, in the order of these."""
    folder = folder_of(reference)
    return [] if folder is None else [*_placed(folder, "scenarios")]


def mutant_files(reference: str) -> Iterator[tuple[Traversable, Place]]:
    """Files of a model's mutants: one, or a folder of them."""
    folder = folder_of(reference)
    if folder is None:
        return
    single = folder / "mutants.toml"
    if single.is_file():
        yield single, Place(f"{folder.name}/mutants.toml")
    for file, _, place in _placed(folder, "mutants"):
        yield file, place


def folder_of(reference: str) -> Traversable | None:
    """Folder of the package with the module of a model, if it is in one."""
    package = reference.partition(":")[0].rpartition(".")[0]
    try:
        return resources.files(package) if package else None
    except ImportError:
        # That it is missing is told where the model itself is asked for.
        return None


def toml_files(folder: Traversable) -> list[tuple[Traversable, str]]:
    """Files of a folder, if there is one, with what each is the file of, in order."""
    if not folder.is_dir():
        return []
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    named = [(file, file.name.removesuffix(".toml")) for file in files]
    return sorted(named, key=itemgetter(1))


def _placed(folder: Traversable, kind: str) -> Iterator[tuple[Traversable, str, Place]]:
    for file, name in toml_files(folder / kind):
        yield file, name, Place(f"{folder.name}/{kind}/{file.name}")
