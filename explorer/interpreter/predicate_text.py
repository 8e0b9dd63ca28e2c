"""The text of a predicate as a tree, and functions made of parts of it."""

from __future__ import annotations
import __future__

import ast
import linecache
import textwrap
from types import CodeType
from typing import Any

from replicheck.explorer.model import Predicate

FLAGS = __future__.annotations.compiler_flag


def definition_of(predicate: Predicate) -> ast.FunctionDef | None:
    """The text of a plain function as a tree; None if it has no text of its own."""
    if getattr(predicate, "__closure__", None) or not hasattr(predicate, "__globals__"):
        return None
    code = predicate.__code__
    lines = linecache.getlines(code.co_filename, predicate.__globals__)
    # `inspect.getsource` would look through all modules, for each predicate, and what
    # it finds the end with compiles expressions that take longer than the rest.
    last = max(end or 0 for _, end, _, _ in code.co_positions())
    text = "".join(lines[code.co_firstlineno - 1 : last or None])
    try:
        body = ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return None
    return body[0] if body and isinstance(body[0], ast.FunctionDef) else None


def definition_that_runs(predicate: Predicate) -> ast.FunctionDef | None:
    """The same, if it is that of the code that runs: a file may have changed."""
    code = getattr(predicate, "__code__", None)
    if code is None:
        return None
    linecache.checkcache(code.co_filename)
    function = definition_of(predicate)
    return function if function is not None and _compiles_to(function, code) else None


def with_body(
    predicate: Predicate, function: ast.FunctionDef, body: list[ast.stmt]
) -> Predicate:
    """A function with the parameters of a predicate, and another body."""
    function.body, function.decorator_list = body, []
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = compile(module, f"<part of {predicate.__name__}>", "exec", FLAGS, True)
    names: dict[str, Any] = {}
    exec(code, predicate.__globals__, names)
    part: Predicate = names[function.name]
    return part


def _compiles_to(function: ast.FunctionDef, code: CodeType) -> bool:
    module = ast.increment_lineno(ast.Module([function], []), code.co_firstlineno - 1)
    flags = code.co_flags & FLAGS
    return code in compile(module, code.co_filename, "exec", flags, True).co_consts
