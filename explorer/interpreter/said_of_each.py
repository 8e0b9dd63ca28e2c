"""What an invariant says of each of some things, by its text.

An invariant that ends in ``return all(C for x in XS)`` says C of each x. So does one
that ends in a loop, ``for x in XS``, with ``return False`` where C is not true of an x,
and in ``return True`` behind it. Tests before it tell where that is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dis import opmap
from functools import cache

from attrs import frozen

from replicheck.explorer.interpreter.claim_loops import (
    NAMES_OF_PYTHON,
    AsWritten,
    CellsByIndex,
    are_apart,
    changing_names,
    gives_lasting,
    names_in,
    nest_of,
)
from replicheck.explorer.interpreter.predicate_text import (
    definition_that_runs,
    with_body,
)
from replicheck.explorer.model import Predicate

FOR_ITER = opmap["FOR_ITER"]
FOUND, TURN = ".found", ".turn"
"""Names that no text has."""


@frozen
class SaidOfEach:
    """Functions that list what an invariant says of each, as functions of nothing.

    ``listed`` first asks what the invariant asks before, and returns what it would if
    that is enough; ``unguarded`` does not ask.
    """

    listed: Predicate
    unguarded: Predicate


@cache
def said_of_each(whole: Predicate) -> Sequence[SaidOfEach]:
    """What an invariant says of each, by its text; nothing if it has another form.

    First as one would say it of the indices of cells, then as it is written.
    """
    code = getattr(whole, "__code__", None)
    if code is None or not ("all" in code.co_names or FOR_ITER in code.co_code[::2]):
        return ()
    if NAMES_OF_PYTHON & {*whole.__globals__, *code.co_varnames, *code.co_cellvars}:
        return ()
    found = (_divided(whole, changed) for changed in (CellsByIndex(), AsWritten()))
    return tuple(said for said in found if said is not None)


def _divided(whole: Predicate, changed: AsWritten) -> SaidOfEach | None:
    function = definition_that_runs(whole)
    if function is None:
        return None
    said = _loops(function.body, changed) or _all_of(function.body, changed)
    if said is None or not all(map(_is_leading, said.leading)):
        return None
    if changing_names(said.leading) & said.names:
        return None
    if not all(map(gives_lasting, said.iterated)):
        return None
    assigned = [line for line in said.leading if not isinstance(line, ast.If)]
    return SaidOfEach(
        with_body(whole, function, [*said.leading, *said.listing]),
        with_body(whole, function, [*assigned, *said.listing]),
    )


@frozen
class _Said:
    """The statements of an invariant, divided.

    ``leading`` come before what is said of each, ``listing`` return the list of that,
    ``names`` are those that are mentioned there, and ``iterated`` is gone through.
    """

    leading: Sequence[ast.stmt]
    listing: Sequence[ast.stmt]
    names: set[str]
    iterated: Sequence[ast.expr]


def _all_of(body: Sequence[ast.stmt], changed: AsWritten) -> _Said | None:
    """Statements that end in ``return all(…)``, with or without tests before it."""
    *leading, last = body
    guard, claimed = _guarded(last)
    said = _generator(claimed)
    if said is None or not _have_one_meaning(said.generators):
        return None
    iterated = [of.iter for of in said.generators]
    changed.change_generator(said)
    leading += [guard] if guard else []
    return _Said(leading, [ast.Return(_list_of(said))], names_in(said), iterated)


def _loops(body: Sequence[ast.stmt], changed: AsWritten) -> _Said | None:
    """Statements that end in loops and ``return True``."""
    *before, last = body
    match last:
        case ast.Return(value=ast.Constant(value=True)):
            pass
        case _:
            return None
    first = len(before)
    while first and _is_loop(before[first - 1]):
        first -= 1
    leading = before[:first]
    loops = [loop for loop in before[first:] if isinstance(loop, ast.For)]
    if not loops or not are_apart(loops):
        return None
    iterated = [inner.iter for loop in loops for inner in nest_of(loop)]
    changed.change_loops(loops)
    found = ast.Name(FOUND, ast.Load())
    begin = ast.Assign([ast.Name(FOUND, ast.Store())], ast.List([], ast.Load()))
    listing = map(_listing_loop, loops)
    names = names_in(*loops)
    return _Said(leading, [begin, *listing, ast.Return(found)], names, iterated)


def _is_loop(statement: ast.stmt) -> bool:
    """Tell whether a loop returns False where it ends early, and changes no name."""
    match statement:
        case ast.For(body=body, orelse=[]):
            return all(map(_is_of_loop, body))
    return False


def _is_of_loop(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return(value=ast.Constant(value=False)) | ast.Continue():
            return True
        case ast.Assign(targets=[ast.Name()]):
            return True
        case ast.If(body=body, orelse=otherwise):
            return all(map(_is_of_loop, [*body, *otherwise]))
    return _is_loop(statement)


class _EndOfTurn(ast.NodeTransformer):
    """What ends a turn of a loop ends a function of that turn, which holds."""

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return ast.Return(ast.Constant(True))

    def visit_For(self, node: ast.For) -> ast.stmt:
        return node


def _listing_loop(loop: ast.For, *around: ast.expr) -> ast.stmt:
    """A loop that lists a function for each turn, which tells what it comes to.

    A loop that does nothing but another one lists the turns of that.

    Args:
        around: the names of the loops that it is in.
    """
    names = (*around, loop.target)
    match loop.body:
        case [ast.For() as inner]:
            return ast.For(loop.target, loop.iter, [_listing_loop(inner, *names)], [])
    body = [_EndOfTurn().visit(statement) for statement in loop.body]
    of_turn = ast.FunctionDef(
        TURN, _as_now(*names), [*body, ast.Return(ast.Constant(True))], []
    )
    append = ast.Attribute(ast.Name(FOUND, ast.Load()), "append", ast.Load())
    listed = ast.Expr(ast.Call(append, [ast.Name(TURN, ast.Load())], []))
    return ast.For(loop.target, loop.iter, [of_turn, listed], [])


def _guarded(last: ast.stmt) -> tuple[ast.stmt | None, ast.expr | None]:
    """What the end of an invariant asks before its last part, and that part."""
    match last:
        case ast.Return(
            value=ast.BoolOp(op=ast.Or() | ast.And() as op, values=[*first, claimed])
        ):
            test = first[0] if len(first) == 1 else ast.BoolOp(op, first)
            is_enough = isinstance(op, ast.Or)
            ends = test if is_enough else ast.UnaryOp(ast.Not(), test)
            return ast.If(ends, [ast.Return(ast.Constant(is_enough))], []), claimed
        case ast.Return(value=claimed):
            return None, claimed
    return None, None


def _generator(claimed: ast.expr | None) -> ast.GeneratorExp | None:
    """The generator whose values are all claimed to be true."""
    match claimed:
        case ast.Call(
            func=ast.Name("all"), args=[ast.GeneratorExp() as said], keywords=[]
        ):
            return said
    return None


def _have_one_meaning(loops: Sequence[ast.comprehension]) -> bool:
    """Tell whether a name of a loop is mentioned in that loop and later ones only."""
    seen: set[str] = set()
    for loop in loops:
        names = names_in(loop.target)
        if names & seen:
            return False
        seen |= names_in(loop.iter, *loop.ifs)
        seen |= names
    return True


def _is_leading(statement: ast.stmt) -> bool:
    """Tell whether a statement may stand before what is said of each."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name()]):
            return True
        case ast.If(body=[ast.Return(value=ast.Constant())], orelse=[]):
            return True
    return False


def _list_of(said: ast.GeneratorExp) -> ast.ListComp:
    """A list with a function for each value of a generator, which tells that value."""
    tests = [test for of in said.generators for test in of.ifs]
    not_all = [ast.UnaryOp(ast.Not(), test) for test in tests]
    value = ast.BoolOp(ast.Or(), [*not_all, said.elt]) if tests else said.elt
    arguments = _as_now(*(of.target for of in said.generators))
    generators = [
        ast.comprehension(of.target, of.iter, [], 0) for of in said.generators
    ]
    return ast.ListComp(ast.Lambda(arguments, value), generators)


def _as_now(*targets: ast.expr) -> ast.arguments:
    """Parameters that are what the names of loops are now."""
    names = sorted(names_in(*targets))
    parameters = [ast.arg(name) for name in names]
    now: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    return ast.arguments([], parameters, None, [], [], None, now)
