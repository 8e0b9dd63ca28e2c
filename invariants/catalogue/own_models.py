"""Models of a user's own: loaded from a file or a module, and made a system."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.references import REFERENCE
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System, sentence
from replicheck.invariants.describers.model_describer import (
    ModelDescriber,
    documents_of,
)
from replicheck.model.modelling.errors import ModellingError
from replicheck.model.modelling.model import Model
from replicheck.model.modelling.values import Id


def load_module(reference: str, folder: Path = Path()) -> tuple[ModuleType, str]:
    """Module that a reference names, which is run, and the name in it, if any.

    Args:
        reference: what `is_reference` accepts.
        folder: what the path of a file is relative to.

    Raises:
        ScenarioError: if there is no such module, or it cannot be run.
    """
    found = REFERENCE.fullmatch(reference)
    assert found is not None, "the reference is one"
    place = Place(reference)
    if found["module"]:
        return _loaded(place, lambda: importlib.import_module(found["module"])), found[
            "of"
        ]
    path = (folder / found["file"]).resolve()
    if not path.is_file():
        raise place.error("there is no such file")
    return _loaded(place, lambda: _module_of(path, place)), found["name"] or ""


def own_system(reference: str, folder: Path = Path()) -> System:
    """System of a model of a user's own.

    Raises:
        ScenarioError: if there is no model, or it cannot be explored as it is written.
    """
    place = Place(reference)
    module, name = load_module(reference, folder)
    model = _model_in(module, name, place)

    def build(protocol: Any, bounds: Any) -> Any:
        return _called(place, lambda: model.instance(protocol, bounds))

    protocol, variants = model.protocols()
    instance = build(protocol, _called(place, model.bounds))
    return System(
        name=reference,
        state=type(instance.start),
        bounds=model.bounds,
        protocols=(protocol,),
        describer=describer_of(model),
        build=build,
        mutations=variants,
        invariants=tuple(model.invariants),
        steps=tuple(model.steps),
        witnesses=tuple(model.witnesses),
        initials=model.initials,
        environment=tuple(model.faults),
        digest=sources_digest(),
    )


def own_scenario(system: System) -> Scenario:
    """Scenario of a model of a user's own with its defaults: everything it claims."""
    fields = attrs.fields(system.bounds)
    ranges = {bound.name: bound.metadata.get("fuzz") for bound in fields}
    return Scenario(
        name=system.name,
        summary=sentence(system.state),
        model=system.name,
        protocol=system.protocols[0].name,
        bounds=attrs.asdict(system.bounds()),
        invariants=tuple(claim.__name__ for claim in system.invariants),
        steps=tuple(claim.__name__ for claim in system.steps),
        witnesses=tuple(claim.__name__ for claim in system.witnesses),
        ranges={name: ends for name, ends in ranges.items() if ends is not None},
    )


def describer_of(model: Model[Any]) -> ModelDescriber:
    """Describer of a model that has none: each number of its first ids has a lane."""
    kinds = [kind for kind in model.domains if isinstance(kind, type)]
    acting = [kind for kind in kinds if issubclass(kind, Id)][:1]
    names = [
        name
        for action in model.actions
        for name, hint in action.__annotations__.items()
        if acting and hint in (acting[0], acting[0].__name__)
    ]
    return ModelDescriber(
        store=model.name,
        noun=acting[0].__name__.lower() if acting else "process",
        participants=_indices,
        acting=tuple(dict.fromkeys(names)),
        documents=documents_of(model.protocols()[:1]),
    )


def sources_digest() -> str:
    """Digest of every module at hand that is neither installed nor replicheck's."""
    paths = sysconfig.get_paths()
    installed = [Path(paths[name]).resolve() for name in ("stdlib", "purelib")]
    found = hashlib.blake2b(digest_size=8)
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None or name.partition(".")[0] == "replicheck":
            continue
        path = Path(file).resolve()
        is_own = not any(path.is_relative_to(folder) for folder in installed)
        if is_own and path.is_file():
            found.update(name.encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def _indices(state: Any) -> range:
    """Numbers of the longest family of cells."""
    fields = [getattr(state, field.name) for field in attrs.fields(type(state))]
    return range(max((len(x) for x in fields if isinstance(x, tuple)), default=0))


def _module_of(path: Path, place: Place) -> ModuleType:
    name = path.stem
    known = sys.modules.get(name)
    if known is not None:
        file = getattr(known, "__file__", None) or ""
        if Path(file).resolve() == path:
            return known
        raise place.error(
            f"there is a module {name} already, {file}: call the file otherwise"
        )
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "the file ends in .py"
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _loaded(place: Place, load: Callable[[], ModuleType]) -> ModuleType:
    module: ModuleType = _called(place, load)
    return module


def _called(place: Place, function: Callable[[], Any]) -> Any:
    """What a user's code returns; what it raises becomes one message.

    Raises:
        ScenarioError: naming the file and line.
    """
    try:
        return function()
    except ScenarioError:
        raise
    except ModellingError as error:
        raise ScenarioError(str(error)) from error
    except SyntaxError as error:
        raise place.error(f"line {error.lineno}: {error.msg}") from error
    except Exception as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        raise place.error(
            f"raises {type(error).__name__}: {error} ({last.filename}:{last.lineno})"
        ) from error


def _model_in(module: ModuleType, name: str, place: Place) -> Model[Any]:
    found: dict[str, Model[Any]] = {
        key: value for key, value in vars(module).items() if isinstance(value, Model)
    }
    if name:
        if name not in found:
            raise place.unknown("model", name, found)
        return found[name]
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise place.error(
            f"has several models: name one of {', '.join(found)} behind a colon"
        )
    raise place.error(
        'there is no model in it: write `model = Model("NAME")`, with Model from'
        " replicheck.modelling"
    )
