"""Filters: with which items a loop does anything, as a function of the item alone.

What a loop tests before it does anything else is such a function, and so is the test of
``any`` and ``all``. What that reads besides the item is the same throughout the loop:
the filter has it as arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from types import CodeType, FunctionType
from typing import Any

from attrs import field, frozen

from replicheck.explorer.proxies.calls import Call
from replicheck.explorer.proxies.loops.loop_names import (
    asked_names,
    is_read_unbound,
    names_in,
    stored_names,
)
from replicheck.explorer.proxies.loops.loop_syntax import Instruction, Loop, loop_at
from replicheck.explorer.proxies.loops.source_tree import own_names
from replicheck.explorer.proxies.loops.withheld import AskedInVain, withheld
from replicheck.explorer.states.value_parts import FILTERED

UNFIT = (ast.Await, ast.Yield, ast.YieldFrom)
"""Expressions of which the value comes from elsewhere."""
SCOPES = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
UNMOVABLE = (*SCOPES, ast.Starred, ast.Slice, ast.FormattedValue)
"""Expressions that cannot be evaluated elsewhere, or are none by themselves."""
UNFIXED = (*SCOPES, *UNFIT, ast.NamedExpr)
"""Expressions of which there may be another value each time."""
ITEM = "the item"
"""No name of a function, since it has a space in it."""
TEXT_SHOWN = 60


@frozen(eq=False)
class LoopFilter:
    """Tells with which items a loop does anything, given values from outside it."""

    text: str
    function: Callable[..., bool] = field(repr=False)
    outside: tuple[CodeType, ...]
    """The expressions whose values it is given."""
    iterated: tuple[CodeType, ...]
    """The expressions that the loop iterates before its last test."""
    names: frozenset[str]
    """The names of the function's own that these and those read."""
    compares_items: bool = False
    """Whether the items are sorted by themselves: then all are needed, if not any two
    can be compared."""
    contained: frozenset[int] = frozenset()
    """The places of values from outside that are only asked whether they have it."""
    asked: frozenset[str] = frozenset()
    """The names of lists and sets that nothing in the function changes."""

    def __call__(self, item: Any, *values: Any) -> bool:
        """Tell whether the loop may do anything with an item.

        It may where its tests raise, and where they ask a set that is withheld.
        """
        try:
            return self.function(item, *map(withheld, values))
        except (Exception, AskedInVain):
            return True

    def __repr__(self) -> str:
        """The beginning of the loop's text."""
        return self.text


_EVERY = LoopFilter("every item", lambda item: True, (), (), frozenset())
FOR_EVERY_ITEM: Call = (FILTERED, (_EVERY,))
"""The call of a loop that does something with each item."""


class _Unfit(Exception):
    """A loop has no filter: it is not known with which items it does anything."""


def loop_filter(
    code: CodeType, instruction: Instruction, names: dict[str, Any]
) -> LoopFilter | None:
    """The filter of the loop that begins with an instruction; None if not known.

    Args:
        names: the global names of the function.
    """
    loop = loop_at(code, instruction)
    if loop is None or any(name in names for name in loop.builtins):
        return None
    own = own_names(code)
    if own & loop.builtins:
        return None
    try:
        return _Filter(loop, own).made(code, names)
    except _Unfit:
        return None


class _Filter(ast.NodeTransformer):
    """Makes the function of an item out of the tests of a loop."""

    def __init__(self, loop: Loop, own: frozenset[str]) -> None:
        self._loop, self._own = loop, own
        self._body = list(_tests(loop.body))
        patterns = [
            node
            for statement in self._body
            for node in ast.walk(statement)
            if isinstance(node, ast.pattern)
        ]
        of_item = stored_names([loop.target, *patterns])
        self._bound = of_item | stored_names(self._body)
        # Of a comprehension, some interpreters make names of the function's own.
        names = (self._bound - of_item) & own
        is_unbound = is_read_unbound(names, loop.syntax, loop.parents)
        if is_unbound or any(map(self._is_own, patterns)):
            raise _Unfit
        self._outside: dict[str, ast.expr] = {}
        """Expressions that the loop leaves as they are, by their new names."""
        self._contained: list[int] = []

    def made(self, code: CodeType, names: dict[str, Any]) -> LoopFilter:
        """The filter, for a function with these global names.

        Raises:
            _Unfit: if the loop does something with each item, or tests more than it.
        """
        if not self._body or isinstance(self._body[0], ast.Return):
            raise _Unfit
        target = deepcopy(self._loop.target)
        body = [self.visit(deepcopy(statement)) for statement in self._body]
        iterated = self._loop.iterated
        if any(isinstance(part, UNFIXED) for e in iterated for part in ast.walk(e)):
            raise _Unfit
        used = self._own_names([*self._outside.values(), *iterated])
        if used & (self._loop.changed | self._bound):
            raise _Unfit
        asked = asked_names(self._loop.syntax, self._loop.parents)
        made_of = self._own_names(asked[name] for name in used & asked.keys())
        items = ast.Tuple([ast.Name(ITEM, ast.Load())], ast.Load())
        text = ast.unparse(self._loop.syntax).partition("\n")[0]
        return LoopFilter(
            text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}…",
            _function(
                [ITEM, *self._outside],
                [ast.For(target, items, body, []), _returns(is_passed=True)],
                code,
                names,
            ),
            tuple(_expression(value, code) for value in self._outside.values()),
            tuple(_expression(deepcopy(value), code) for value in iterated),
            used | made_of,
            self._loop.compares_items,
            frozenset(self._contained),
            frozenset(asked),
        )

    def visit(self, node: ast.AST) -> Any:
        """Give an expression that the loop leaves as it is a name."""
        is_mangled = isinstance(node, ast.Name) and node.id.startswith("__")
        if is_mangled or isinstance(node, UNFIT):
            raise _Unfit
        if isinstance(node, ast.pattern):
            return node
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
                if self._is_outside(container) and not self._is_outside(node):
                    left = self.visit(node.left)
                    self._contained.append(len(self._outside))
                    right = self.visit(container)
                    made = ast.Compare(left, node.ops, [right])
                    return ast.copy_location(made, node)
        if isinstance(node, ast.expr) and self._is_outside(node):
            name = f"outside {len(self._outside)}"
            self._outside[name] = node
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        return self.generic_visit(node)

    def _is_outside(self, node: ast.expr) -> bool:
        names = names_in([node])
        return (
            not any(isinstance(part, UNMOVABLE + UNFIT) for part in ast.walk(node))
            and names.isdisjoint(self._bound)
            and not names.isdisjoint(self._own)
        )

    def _is_own(self, pattern: ast.AST) -> bool:
        """Tell whether a pattern reads a name of the function's own."""
        return bool(self._own_names([pattern]))

    def _own_names(self, nodes: Iterable[ast.AST]) -> frozenset[str]:
        return self._own & names_in(nodes)


def _tests(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield what a loop tests; where it does anything else it returns True."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield ast.If(test, _block(then), list(_tests(otherwise)))
            case ast.Match(subject=subject, cases=cases):
                yield ast.Match(subject, list(map(_case, cases)))
            case ast.Continue():
                yield _returns(is_passed=True)
                return
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                yield _returns(is_passed=False)
                return


def _block(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    return list(_tests(body)) or [ast.Pass()]


def _case(case: ast.match_case) -> ast.match_case:
    return ast.match_case(case.pattern, case.guard, _block(case.body))


def _returns(*, is_passed: bool) -> ast.Return:
    return ast.Return(ast.Constant(not is_passed))


def _expression(value: ast.expr, code: CodeType) -> CodeType:
    expression = ast.fix_missing_locations(ast.Expression(value))
    made: CodeType = compile(expression, code.co_filename, "eval", dont_inherit=True)
    return made


def _function(
    arguments: Iterable[str],
    body: list[ast.stmt],
    code: CodeType,
    names: dict[str, Any],
) -> Callable[..., bool]:
    """The function with a body, for a file and global names as another one has."""
    names_of = [ast.arg(name) for name in arguments]
    parameters = ast.arguments([], names_of, None, [], [], None, [])
    function = ast.FunctionDef(code.co_name, parameters, body, [])
    module = ast.fix_missing_locations(ast.Module([function], []))
    compiled = compile(module, code.co_filename, "exec", dont_inherit=True)
    inside = next(one for one in compiled.co_consts if isinstance(one, CodeType))
    return FunctionType(inside, names)
