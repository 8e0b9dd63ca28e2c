"""The tree of a file's text, where it is that of the code that runs."""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

SHARED_NAMES_CRASH = (3, 13) <= sys.version_info < (3, 13, 3)
"""Whether to look up names of a function, of which some are those of functions within
it, may end the process: see issue 128396 of github.com/python/cpython."""
CHOICE = ".choice"
"""The parameter, named as in no text, that is given what chooses items."""
FILES = 64
"""So many texts are kept at most."""


class Position(NamedTuple):
    """The part of a text from which an instruction or an expression comes."""

    line: int | None
    end_line: int | None
    column: int | None
    end_column: int | None


def position_of(node: ast.expr | ast.stmt) -> Position:
    """The place of an expression or a statement in its text."""
    return Position(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def lines_of(statement: ast.stmt) -> range:
    """The lines of a statement in its text."""
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def own_names(code: CodeType) -> frozenset[str]:
    """The names of a function's own, and those that it shares with others."""
    return frozenset(code.co_varnames + code.co_cellvars + code.co_freevars)


def has_shared_names(code: CodeType) -> bool:
    """Tell whether a function has names that one within it, or around it, reads."""
    return bool(code.co_cellvars or code.co_freevars)


class SourceTree:
    """The text of a file as a tree, and the code that it compiles to."""

    def __init__(self, file: str, text: str) -> None:
        tree = ast.parse(text)
        self.parents = {
            child: node
            for node in ast.walk(tree)
            for child in ast.iter_child_nodes(node)
        }
        self.codes = frozenset(
            _codes_in(compile(text, file, "exec", dont_inherit=True))
        )
        self._places: dict[Position, list[ast.expr | ast.For]] = {}
        for node in self.parents:
            if isinstance(node, ast.expr | ast.For):
                self._places.setdefault(position_of(node), []).append(node)

    def at(self, position: Position) -> ast.expr | ast.For | None:
        """The only expression or `for` statement that is there."""
        found = self._places.get(position, [])
        return found[0] if len(found) == 1 else None

    def definition(self, code: CodeType) -> ast.FunctionDef | None:
        """The only definition that a function with this code can have."""
        found = [
            node
            for node in self.parents
            if isinstance(node, ast.FunctionDef)
            and node.name == code.co_name
            and code.co_firstlineno
            == min([node.lineno, *map(_line, node.decorator_list)])
        ]
        return found[0] if len(found) == 1 else None

    def loop_over(self, iterated: ast.AST) -> ast.For | ast.comprehension | None:
        """The loop that iterates what an expression gives."""
        parent = self.parents[iterated]
        if isinstance(parent, ast.For | ast.comprehension):
            return parent if parent.iter is iterated else None
        return None


WRITTEN_ANEW: dict[CodeType, CodeType] = {}
"""By code that was made of the text of a function, the code that it was made for."""


def as_written(code: CodeType) -> CodeType:
    """The code of a function as the text has it, if it was written anew."""
    return WRITTEN_ANEW.get(code, code)


def add_choice(definition: ast.FunctionDef) -> None:
    """Have a function take what chooses items as one argument more."""
    definition.args.kwonlyargs.append(ast.arg(CHOICE))
    definition.args.kw_defaults.append(None)


def with_choice(
    plain: FunctionType, code: CodeType, choice: Callable[..., Any]
) -> FunctionType:
    """A function with code that was made anew of its own, and what chooses items."""
    function = FunctionType(code, plain.__globals__, None, plain.__defaults__)
    function.__kwdefaults__ = {**(plain.__kwdefaults__ or {}), CHOICE: choice}
    return function


def compiled_anew(definition: ast.FunctionDef, code: CodeType) -> CodeType:
    """The code of a definition that was changed, in place of other code of it."""
    module = ast.fix_missing_locations(ast.Module([definition], []))
    flags = code.co_flags & __future__.annotations.compiler_flag
    compiled = compile(module, code.co_filename, "exec", flags, True)
    constants = [part for part in compiled.co_consts if isinstance(part, CodeType)]
    (made,) = [part for part in constants if part.co_name == code.co_name]
    WRITTEN_ANEW[made] = code
    return made


def source_tree(code: CodeType) -> SourceTree | None:
    """The tree of the file that code is of; None if that was changed since."""
    code = as_written(code)
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename))
    source = _tree_of(code.co_filename, text)
    return source if source is not None and code in source.codes else None


def _line(expression: ast.expr) -> int:
    return expression.lineno


@lru_cache(FILES)
def _tree_of(file: str, text: str) -> SourceTree | None:
    try:
        return SourceTree(file, text)
    except (SyntaxError, ValueError):
        return None


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)
