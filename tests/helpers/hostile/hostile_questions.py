"""Hostile questions: arguments of the commands that ask, observe and conform."""

from __future__ import annotations

from hypothesis import strategies as st

from hostile.attacks import Attack
from hostile.hostile_commands import ARGUMENT_VALUES
from hostile.hostile_values import hostile_words, without_nul

QUESTIONS = (
    ("find", "counter", "--reach", "reaches_its_limit"),
    ("find", "counter", "--time", "2"),
    ("ways", "counter", "is_within_its_limit", "--time", "2"),
    ("diff", "counter", "round", "raising", "--time", "2"),
    ("diff", "counter", "--time", "2"),
    ("new", "mine"),
    ("new",),
    ("validate", "--schema"),
    ("validate", "missing.jsonl"),
    ("observe", "kafka-2.5.1", "."),
    ("observe", "kafka-3.9", "missing"),
    ("mutants", "missing"),
    ("fuzz", "counter", "--examples", "3"),
    ("export", "counter", "--format", "promela"),
)
OPTIONS = (
    "--reach",
    "--protocol",
    "--step-reductions",
    "--bounds",
    "--limit-states",
    "--time",
    "--full",
    "--traces",
    "--folder",
    "--model",
    "--slack",
    "--no-clocks",
    "--limit-nodes",
    "--limit-seconds",
    "--show",
    "--schema",
    "--invariant",
    "--database",
    "--profile",
)
WORDS = (
    *ARGUMENT_VALUES,
    "reaches_its_limit",
    "is_within_its_limit",
    "round",
    "raising",
    "class",
    "mine.py",
    "missing.py:x",
    "no.such.module:x",
    "nan",
    "inf",
    "1e-300",
)
CONFORM = ("conform",)
CONFORM_OPTIONS = (
    "--kafka",
    "--protocol",
    "--suite",
    "--campaigns",
    "--mutants",
    "--all-known",
    "--all-met",
    "--finding",
    "--bounds",
    "--walks",
    "--steps",
    "--time",
    "--seed",
    "--traces",
    "--json",
)
CONFORM_WORDS = (
    *ARGUMENT_VALUES,
    "2.4.1",
    "2.5.1",
    "fetching",
    "fetching-two-brokers-change-roles",
    "cluster",
    "missing.jsonl",
    "missed-epoch",
    "large",
)
NO_JAVA = {"PATH": "", "JAVA_HOME": "/missing"}


@st.composite
def hostile_questions(draw: st.DrawFn) -> Attack:
    """Command line of a command that asks, with what makes no sense beside it."""
    return Attack(hostile_words(draw, QUESTIONS, OPTIONS, WORDS), {})


@st.composite
def hostile_conformance(draw: st.DrawFn) -> Attack:
    """Arguments of `replicheck conform`, where there is no Java."""
    words = list(CONFORM)
    pairs = st.tuples(st.sampled_from(CONFORM_OPTIONS), st.sampled_from(CONFORM_WORDS))
    for option, value in draw(st.lists(pairs, max_size=4)):
        words += draw(st.sampled_from(([option, value], [value], [option])))
    return Attack(without_nul(words), {}, shipped=True, environment=NO_JAVA)
