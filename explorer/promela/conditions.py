"""Conditions: learned trees as Promela, which tell where they lead and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from replicheck.explorer.promela.identifiers import Identifiers
from replicheck.explorer.promela.text import wrapped
from replicheck.explorer.promela.tree_values import End, Question, Steps, Tree

TRUE, FALSE = "true", "false"
MET = "met_by_replicheck"
"""A variable that is always 0: an assertion of it fails, and says what is wrong."""
MOST_STATEMENTS = 1000
"""Spin takes no `d_step` with more than 2048 statements."""

Leaf = Steps | End


@frozen
class Ends:
    """Which ends of a tree are meant, and the statements for each.

    ``include`` is None of an end that does not matter: another alternative sees to it.
    """

    include: Callable[[Leaf], bool | None]
    statements: Callable[[Leaf], Sequence[str]]


def unmet() -> Ends:
    """The ends that no state came to in the search, which is an error."""
    return Ends(lambda leaf: leaf is End.UNMET, lambda leaf: [f"assert({MET})"])


def options(
    identifiers: Identifiers, tree: Tree, ends: Ends
) -> Iterator[tuple[str, list[str]]]:
    """Yield condition and statements, several of them where one would be too long.

    The conditions exclude each other; one is true where the tree leads to such an end.
    """
    condition = guard(identifiers, tree, ends)
    if condition == FALSE:
        return
    statements = body(identifiers, tree, ends)
    if len(statements) <= MOST_STATEMENTS or not isinstance(tree, Question):
        yield condition, statements
        return
    for answer, branch in tree.branches.items():
        test = identifiers.test(tree.column, tree.lookup, [answer])
        for inner, part in options(identifiers, branch, ends):
            yield _either(test, test, inner, FALSE), part


def guard(identifiers: Identifiers, tree: Tree, ends: Ends) -> str:
    """The condition that the tree leads the state to one of the ends."""
    return _guard(identifiers, tree, ends) or FALSE


def _guard(identifiers: Identifiers, tree: Tree, ends: Ends) -> str | None:
    if not isinstance(tree, Question):
        included = ends.include(tree)
        return None if included is None else (TRUE if included else FALSE)
    groups = _grouped(tree, lambda subtree: _guard(identifiers, subtree, ends))
    if not groups:
        return None
    # What most answers lead to goes last, where nothing is asked.
    *others, last = sorted(groups.items(), key=lambda group: len(group[1]))
    chosen = last[0]
    for text, answers in reversed(others):
        test = identifiers.test(tree.column, tree.lookup, answers)
        test_not = identifiers.test_not(tree.column, tree.lookup, answers)
        chosen = _either(test, test_not, text, chosen)
    return chosen


def body(identifiers: Identifiers, tree: Tree, ends: Ends) -> list[str]:
    """The statements for the end to which the tree leads the state."""
    return (_body(identifiers, tree, ends) or "skip").splitlines()


def _body(identifiers: Identifiers, tree: Tree, ends: Ends) -> str | None:
    if not isinstance(tree, Question):
        return "\n".join(ends.statements(tree)) if ends.include(tree) else None
    groups = _grouped(tree, lambda subtree: _body(identifiers, subtree, ends))
    if len(groups) <= 1:
        return next(iter(groups), None)
    lines = ["if"]
    *others, last = sorted(groups.items(), key=lambda group: len(group[1]))
    for text, answers in others:
        lines += _option(identifiers.test(tree.column, tree.lookup, answers), text)
    lines += _option("else", last[0])
    return "\n".join([*lines, "fi"])


def _option(test: str, text: str) -> list[str]:
    return [*wrapped(f":: {test} ->"), *(f"   {line}" for line in text.splitlines())]


def _grouped(
    tree: Question, text_of: Callable[[Tree], str | None]
) -> dict[str, list[int]]:
    """The answers by the text that their branches have."""
    groups: dict[str, list[int]] = {}
    for answer, branch in tree.branches.items():
        text = text_of(branch)
        if text is not None:
            groups.setdefault(text, []).append(answer)
    return groups


def _either(test: str, test_not: str, then: str, otherwise: str) -> str:
    """A choice: ``then`` where the test is true, ``otherwise`` where it is not."""
    if then == TRUE:
        return test if otherwise == FALSE else f"({test} || {otherwise})"
    if then == FALSE:
        return test_not if otherwise == TRUE else f"({test_not} && {otherwise})"
    if otherwise == FALSE:
        return f"({test} && {then})"
    if otherwise == TRUE:
        return f"({test_not} || {then})"
    return f"({test} -> {then} : {otherwise})"
