"""The modules of a tree of folders, as text and as syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

from attrs import frozen

TOPS = ("model", "invariants", "explorer", "traces", "cli", "tests")


@frozen(slots=False)
class Module:
    """One Python file; `path` is relative to the root, such as ``cli/main.py``."""

    path: PurePosixPath
    text: str

    @cached_property
    def syntax(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        """The name by which it is imported."""
        parts = self.path.with_suffix("").parts
        return ".".join(("replicheck", *parts)).removesuffix(".__init__")

    @property
    def top(self) -> str:
        """The folder of the root that it lies in."""
        return self.path.parts[0]

    @property
    def folder(self) -> str:
        """The folder that it lies in."""
        return str(self.path.parent)

    @property
    def family(self) -> str:
        """The folder of the top folder that it lies in, or nothing."""
        return self.path.parts[1] if len(self.path.parts) > 2 else ""

    @property
    def is_init(self) -> bool:
        """Whether it is the module of its folder."""
        return self.path.name == "__init__.py"


@frozen
class Offence:
    """A breach of a law: `key` is for allowances, `detail` says where it is."""

    key: str
    detail: str


def modules_of(root: Path) -> list[Module]:
    """All modules below the top folders, in the order of their paths."""
    files = (file for top in TOPS for file in sorted((root / top).rglob("*.py")))
    return [
        Module(PurePosixPath(file.relative_to(root)), file.read_text("utf-8"))
        for file in files
    ]


def functions_of(
    module: Module,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda]:
    """All functions, methods and lambdas of a module."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return (node for node in ast.walk(module.syntax) if isinstance(node, kinds))
