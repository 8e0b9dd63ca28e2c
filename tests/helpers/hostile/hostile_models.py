"""Hostile models: files of Python that are to hold a model, and do not quite."""

from __future__ import annotations

from functools import cache
from importlib import resources

from hypothesis import strategies as st
from jinja2 import Template

from hostile.attacks import Attack
from hostile.hostile_values import damaged

COMMANDS = (
    ("check", "mine.py", "--engine", "naive", "--limit-states", "60"),
    ("check", "mine.py", "--limit-states", "60", "--limit-seconds", "3"),
    ("check", "mine.py:model", "--limit-states", "60", "--protocol", "greedy"),
    ("check", "counter", "--invariant", "mine.py:one_holds_the_lock"),
    ("show", "mine.py"),
    ("simulate", "mine.py", "--walks", "3", "--threads", "1"),
    ("find", "mine.py", "--limit-states", "60", "--reach", "the_lock_is_taken"),
    ("mutants", "mine.py", "--threads", "1"),
    ("export", "mine.py", "--format", "dot"),
    ("list", "--model", "mine.py"),
)
CODE = (
    "",
    "\n",
    " ",
    "(",
    ")",
    ":",
    "=",
    "None",
    "True",
    "1",
    "-1",
    "10**30",
    "'x'",
    "[]",
    "{}",
    "()",
    "object",
    "int",
    "str",
    "tuple[()]",
    "lambda: 0",
    "yield s",
    "yield None",
    "return s",
    "return None",
    "raise ValueError('x')",
    "raise SystemExit(3)",
    "raise KeyboardInterrupt",
    "raise RecursionError",
    "raise MemoryError",
    "1 / 0",
    "import no_such_module",
    "del model",
    "model = None",
    "model = Model('second', Size, {})",
    "\x00",
    "'\x1b[31m\\n::error::x'",
    "é",
    "\udcff",
    "(" * 300,
    "9" * 5_000,
)


@cache
def template() -> str:
    """The model that `replicheck new` writes."""
    folder = resources.files("replicheck.cli.commands") / "new_model"
    text = (folder / "model.py.jinja").read_text("utf-8")
    return str(Template(text, keep_trailing_newline=True).render(name="mine"))


@st.composite
def hostile_models(draw: st.DrawFn) -> Attack:
    """Model file in which some words or lines are others, missing, or there twice."""
    between = draw(st.sampled_from((" ", "\n")))
    parts = template().split(between)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(parts) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                parts[at] = draw(st.sampled_from(CODE))
            case 1:
                parts.insert(at, draw(st.sampled_from(CODE)))
            case 2:
                parts.insert(at, draw(st.sampled_from(parts)))
            case _:
                parts[at] = ""
    content = between.join(parts).encode("utf-8", "surrogateescape")
    if draw(st.integers(0, 9)) == 0:
        content = damaged(draw, content)
    return Attack(draw(st.sampled_from(COMMANDS)), {"mine.py": content})
