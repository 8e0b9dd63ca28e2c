"""The digest of the code that the shipped results were computed from."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from pathlib import Path

from replicheck.explorer.runtime.digest import NAME, new_digest
from replicheck.invariants.cluster import service
from replicheck.invariants.cluster.subjects import quiescence
from replicheck.model import cluster, shared


@cache
def of_cluster() -> str:
    """Digest of what `advise` asks of `cluster`: code without comments, docstrings."""
    folders = (Path(folder) for part in (cluster, shared) for folder in part.__path__)
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    sources = [file.read_text("utf-8") for file in files]
    sources += [inspect.getsource(claims) for claims in (quiescence, service)]
    found = new_digest(NAME)
    for source in sources:
        found.update(code_of(source).encode())
    return found.hexdigest()


def code_of(source: str) -> str:
    """Lines of a module that are neither empty nor part of a comment or docstring."""
    texts = {
        number
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return "\n".join(
        line
        for number, line in enumerate(source.splitlines(), start=1)
        if number not in texts and line.strip() and not line.lstrip().startswith("#")
    )
