"""``replicheck new``: the files of a model of one's own, to begin with."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import click
from jinja2 import Template

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.output import OutputError
from replicheck.explorer.runtime.atomic_files import write_new
from replicheck.invariants.catalogue.own.module_loading import installed_file
from replicheck.traces.printable_text import printable_path

FILES: Mapping[str, str] = {
    "model.py.jinja": "{}.py",
    "suite.toml.jinja": "{}-suite.toml",
    "test.py.jinja": "test_{}.py",
}
"""For each template the name of the file that it becomes."""


@click.command("new")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    metavar="DIR",
    help="Write the files there instead of in the current directory.",
)
def new(name: str, folder: Path) -> None:
    """Write a model, a suite and a test that run, for you to change.

    NAME is what Python calls the model: NAME.py, NAME-suite.toml, test_NAME.py. A file
    that is there is never replaced.
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise BadInput(
            f"{name}: Python could not import a model of this name: expected letters,"
            " digits and _, such as my_model"
        )
    if _is_taken(name):
        raise BadInput(
            f"{name}: there is a module of this name already, which it would hide or be"
            " hidden by: choose another, such as my_model"
        )
    texts = {folder / file.format(name): _text(of, name) for of, file in FILES.items()}
    for path in texts:
        if path.exists():
            raise _is_there(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--folder: {folder}: {error.strerror}") from error
    for path, text in texts.items():
        _write(path, text)
        click.echo(f"wrote {printable_path(path)}")
    model = printable_path(folder / f"{name}.py")
    click.echo(f"next: replicheck check {model}; then --protocol greedy; then pytest")
    if find_spec("pytest") is None:
        click.echo("pytest is not installed here: pip install pytest")


def _write(path: Path, text: str) -> None:
    """Write a file that is not there, also if another process is about to."""
    try:
        write_new(path, text)
    except FileExistsError:
        raise _is_there(path) from None
    except OSError as error:
        why = error.strerror or error
        raise OutputError(f"--folder: {path} cannot be written: {why}") from error


def _is_there(path: Path) -> BadInput:
    return BadInput(f"{path}: this file is there already; choose another name")


def _is_taken(name: str) -> bool:
    """Tell whether a module of a name comes with Python or is installed."""
    own = {*sys.stdlib_module_names, "__main__", "replicheck"}
    return name in own or installed_file(name) is not None


def _text(template: str, name: str) -> str:
    folder = resources.files("replicheck.cli.commands") / "new_model"
    text = (folder / template).read_text("utf-8")
    written: str = Template(text, keep_trailing_newline=True).render(name=name)
    return written
