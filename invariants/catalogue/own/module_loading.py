"""Modules of a user's own: run when they are named, and known by their source."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from io import BytesIO
from pathlib import Path
from tokenize import detect_encoding
from types import ModuleType
from typing import Any

from replicheck.explorer.errors import frames_of, message_of
from replicheck.explorer.runtime.digest import NAME, new_digest
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.own.references import REFERENCE
from replicheck.invariants.catalogue.size_limits import require_printable_path
from replicheck.model.modelling.errors import (
    ModellingError,
    problem_of_decorator,
    remedy_of,
)

MOST_BYTES = 16 * 2**20
"""The largest file of a model or a property."""
SHIPPED = tuple(
    Path(__file__).resolve().parents[3] / package
    for package in ("cli", "explorer", "invariants", "model", "traces")
)
"""The folders of replicheck's own packages."""
NO_PACKAGE = "attempted relative import with no known parent package"
"""What Python says of a relative import in a file that is loaded by itself."""
_folders: set[Path] = set()
"""Folders of modules that were named by their files."""
_named: set[str] = set()
"""Packages of modules that were named."""


def load_module(reference: str) -> tuple[ModuleType, str]:
    """Module that a reference names, which is run, and the name in it, if any.

    Args:
        reference: what `is_reference` accepts, as seen from the current directory.

    Raises:
        ScenarioError: if there is no such module, or it cannot be run.
    """
    found = REFERENCE.fullmatch(reference)
    assert found is not None, "the reference is one"
    place = Place(reference)
    require_printable_path(reference, place)
    if found["module"]:
        _named.add(found["module"].partition(".")[0])
        module = _loaded(place, lambda: _imported(found["module"], place))
        return module, found["of"]
    path = _file_of(found["file"], place)
    return _loaded(place, lambda: _module_of(path, place)), found["name"] or ""


def _file_of(name: str, place: Place) -> Path:
    try:
        path = Path(name).resolve(strict=True)
        size = path.stat().st_size
    except (FileNotFoundError, NotADirectoryError) as error:
        raise place.error("there is no such file") from error
    except (OSError, RuntimeError) as error:
        raise place.error(f"cannot be read: {error}") from error
    if not path.is_file():
        raise place.error("is not a regular file")
    if size > MOST_BYTES:
        raise place.error(f"is larger than {MOST_BYTES:,} bytes")
    _require_text(path, place)
    return path


def _require_text(path: Path, place: Place) -> None:
    """Refuse a file that no encoding makes a text of Python.

    Raises:
        ScenarioError: saying so.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise place.error(f"cannot be read: {error}") from error
    try:
        encoding, _ = detect_encoding(BytesIO(content).readline)
        text = content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise place.error(f"is no text of Python: {error}") from error
    if "\0" in text:
        raise place.error("is no text of Python: it has a null byte")


def called(place: Place, function: Callable[[], Any]) -> Any:
    """What a user's code returns; what it raises becomes one message.

    What it prints goes to standard error, as standard output may be for a report.

    Raises:
        ScenarioError: naming the file and line.
    """
    try:
        with redirect_stdout(sys.stderr):
            return function()
    except ScenarioError:
        raise
    except ModellingError as error:
        raise ScenarioError(str(error)) from error
    except SyntaxError as error:
        raise place.error(f"line {error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        raise place.error(_what_raised(error)) from error


def _what_raised(error: BaseException) -> str:
    """What a user's code raised, or did that raises, and where."""
    where = _place_raised(error)
    if isinstance(error, ImportError) and error.msg == NO_PACKAGE:
        return (
            f"a relative import ({where}) has no package: what is named by its file is"
            " loaded by itself. Write `import NAME` for a file beside it, or name the"
            " model by its module, `package.module:NAME`"
        )
    problem = problem_of_decorator(error) or f"raises {message_of(error)}"
    return f"{problem} ({where}){remedy_of(error)}"


def _place_raised(error: BaseException) -> str:
    """File and line of the last frame of an exception; of a user's own, if any."""
    places = [*frames_of(error)]
    own = [place for place in places if _is_own(Path(place[0]))]
    file, line = (own or places)[-1]
    return f"{file}:{line}"


def _is_own(file: Path) -> bool:
    is_shipped_too = any(file.is_relative_to(folder) for folder in SHIPPED)
    return file.is_file() and not is_shipped_too and not _is_installed(file)


def sources_digest() -> str:
    """Digest of every module at hand that is neither installed nor replicheck's.

    A model that is installed is known by its whole package.
    """
    found = new_digest(NAME)
    for name, path in own_modules():
        found.update(name.encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def is_shipped(module: str) -> bool:
    """Tell whether a module comes with replicheck, which is known by its version."""
    return module.partition(".")[0] == "replicheck"


def own_modules() -> Iterator[tuple[str, Path]]:
    """Yield name and file of the modules that are a user's own, by name."""
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None or is_shipped(name):
            continue
        path = Path(file).resolve()
        is_named = name.partition(".")[0] in _named
        if (is_named or not _is_installed(path)) and path.is_file():
            yield name, path


def is_named_file(file: Path) -> bool:
    """Tell whether a file is of a module that was named, or of one beside it."""
    return file.parent in _folders or any(
        getattr(module, "__file__", None) == str(file)
        for name, module in [*sys.modules.items()]
        if name.partition(".")[0] in _named - {"replicheck"}
    )


def own_files() -> list[Path]:
    """Files that have to be where a model runs that was named, unless it is installed.

    They are modules that were named and those beside them; of a package an archive.
    """
    tops = {name.partition(".")[0] for name, _ in own_modules()}
    return [*filter(None, map(_file_to_send, sorted(tops)))]


def _file_to_send(top: str) -> Path | None:
    module = sys.modules[top]
    folders = list(getattr(module, "__path__", ()))
    place = Path(folders[0] if folders else module.__file__ or "").resolve()
    if _is_installed(place) or not (top in _named or place.parent in _folders):
        return None
    return _archive(place) if folders else place


def _archive(package: Path) -> Path:
    """Archive of the modules of a package, which Python can import from."""
    # Imported only here: most models are sent nowhere.
    from tempfile import mkdtemp
    from zipfile import ZipFile

    archive = Path(mkdtemp(prefix="replicheck-")) / f"{package.name}.zip"
    with ZipFile(archive, "w") as files:
        for file in sorted(package.rglob("*.py")):
            files.write(file, file.relative_to(package.parent))
    return archive


def _is_installed(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _installed_folders())


@cache
def _installed_folders() -> tuple[Path, ...]:
    # Imported only here: a check of what is shipped asks for no such file.
    import sysconfig

    paths = sysconfig.get_paths()
    return tuple(Path(paths[n]).resolve() for n in ("stdlib", "purelib", "platlib"))


def _imported(name: str, place: Place) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        # Last, so that nothing installed is hidden by a file that is here.
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise place.error(
            f"there is no module {error.name}: expected one that Python can import from"
            " here, or the path of a file, such as my_model.py"
        ) from error


def _module_of(path: Path, place: Place) -> ModuleType:
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and Path(_imported_from(known)).resolve() == path:
        return known
    file = _imported_from(known) if known is not None else installed_file(name)
    if file is not None:
        raise place.error(
            f"rename the file: Python has a module {name} already, {file}"
        )
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "the file ends in .py"
    _folders.add(path.parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _first_on_path(str(path.parent)):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _imported_from(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or ""


def installed_file(name: str) -> str | None:
    """File of an installed module of a name, which is not imported yet."""
    # Imported only here: only a file of a user's own is looked for elsewhere, too.
    from importlib.machinery import PathFinder

    folders = [str(folder) for folder in _installed_folders()]
    known = PathFinder.find_spec(name, folders)
    return None if known is None else known.origin


@contextmanager
def _first_on_path(folder: str) -> Iterator[None]:
    """Context in which modules are looked for in a folder first, and later there last.

    So a file beside a model hides no module that replicheck imports afterwards.
    """
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def _loaded(place: Place, load: Callable[[], ModuleType]) -> ModuleType:
    module: ModuleType = called(place, load)
    return module
