"""Guards: what an action asked last before it turned out to be disabled.

The action runs on a recording view, so the last question is known by the cell and what
was asked of it, and by the line of the action's code that asked.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from attrs import define, field, frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.proxies import cell_proxy, proxy, state_proxy
from replicheck.explorer.proxies.calls import WHOLE, Call, evaluate_call, given
from replicheck.explorer.proxies.state_proxy import StateProxy, state_proxy_class
from replicheck.explorer.states.layout import Layout
from replicheck.traces.value_text import note


@frozen
class Guard:
    """A question that an action asked of a state, its answer, and where it asked.

    ``file`` and ``line`` are those of the code, ``code`` is the text of the line.
    """

    question: str
    answer: str
    function: str
    file: str
    line: int
    code: str

    def __str__(self) -> str:
        """The guard as a message has it."""
        where = f"{Path(self.file).name}:{self.line}"
        return f"`{self.question}` is {self.answer} ({self.function}, {where})"


def last_guard(action: Instance, state: Any) -> Guard | None:
    """The last question of an action, or None if it asks nothing."""
    layout = Layout.of(state)
    listener = _Listener(layout, layout.values(state), state)
    for _after in action(state_proxy_class(layout, state, StateProxy)(listener)):
        pass
    return listener.last


@define
class _Listener:
    """Answers reads from a state, and remembers the last with its place."""

    layout: Layout
    values: tuple[Any, ...]
    state: Any
    last: Guard | None = field(default=None, init=False)
    methods: frozenset[CodeType] = field(init=False)
    """The code of the methods of the state, which ask in the name of the action."""

    @methods.default
    def _methods(self) -> frozenset[CodeType]:
        return frozenset(_codes_of(type(self.state)))

    def read(self, column: int, call: Call) -> Any:
        """Answer a read."""
        value = self.values[column]
        name, arguments = call
        answer = value if call == WHOLE else evaluate_call(value, call)
        question = str(self.layout.cells[column])
        if call != WHOLE:
            asked = callable(getattr(value, name))
            inside = f"({', '.join(map(note, given(arguments)))})" if asked else ""
            question += f".{name}{inside}"
        self.last = self._guard(question, answer)
        return answer

    def _guard(self, question: str, answer: Any) -> Guard:
        hidden = {
            state_proxy.__file__,
            cell_proxy.__file__,
            proxy.__file__,
            __file__,
        }
        frame = next(
            frame
            for frame in _stack()
            if frame.f_code.co_filename not in hidden
            and frame.f_code not in self.methods
        )
        code, line = frame.f_code, frame.f_lineno
        text = linecache.getline(code.co_filename, line).strip()
        return Guard(question, note(answer), code.co_name, code.co_filename, line, text)


def _stack() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def _codes_of(kind: type) -> set[CodeType]:
    """The code of the methods and properties of a class and its bases."""
    members = [member for base in kind.__mro__ for member in vars(base).values()]
    functions = [
        getattr(member, "fget", None) or getattr(member, "__func__", member)
        for member in members
    ]
    return {x.__code__ for x in functions if isinstance(x, FunctionType)}
