"""A step of an action that loops over messages says which message it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import always
from replicheck.invariants.catalogue.own.plain_describer import describer_of
from replicheck.model.modelling.instantiation import decorated_protocols, instance_of
from replicheck.modelling import Bounds, Id, Model, Set, State, Value, bound
from replicheck.traces.counterexample import Commentary, violation_text
from replicheck.traces.run_text import RunDetail, TextForm


class Typist(Id):
    """Who receives mail."""


class Typists(Bounds):
    """How many there are."""

    desks: int = bound(2)


class Ask(Value):
    """A question."""

    to: Typist


class Retort(Value):
    """What comes of it."""

    of: Typist


class Drawer(Value):
    """What a desk keeps."""

    inbox: frozenset[Ask] = frozenset()
    asked: bool = False


class DeskMail(State):
    """Mail on its way, in three kinds of places."""

    drawers: tuple[Drawer, ...] = (Drawer(), Drawer())
    mail: frozenset[Ask | Retort] = frozenset()
    sent: Set[Retort] = Set()


def desk_mail() -> Model[Typists]:
    """A model of them without an action."""
    model = Model("mail", Typists, {Typist: "desks"})
    model.initial(lambda bounds: DeskMail())

    @model.action
    def ask(s: DeskMail, me: Typist) -> Iterator[DeskMail]:
        """A desk asks the other one."""
        if not s.drawers[me].asked:
            asked = s.drawers[me].evolve(asked=True, inbox=frozenset({Ask(me)}))
            yield s.evolve(drawers={me: asked}, mail=s.mail | {Ask(me)})

    return model


def steps(model: Model[Typists], goal: Callable[[Any], bool], width: int) -> list[str]:
    """The lines of the run to a state, from the second on."""
    instance = instance_of(model, decorated_protocols(model)[0][0], Typists(2))

    def is_there_never(s: DeskMail) -> bool:
        return not goal(s)

    report = Naive().explore(instance, [always(is_there_never)], Search())
    about = Commentary(describer=describer_of(model))
    form = TextForm(RunDetail.STEPS, width)
    text = violation_text(report.violations[0], about, form)
    return text.partition("\n\n")[2].splitlines()


def test_what_leaves_a_set_tells_the_message() -> None:
    """What the action does stands below, at its first step."""
    model = desk_mail()

    @model.action
    def receive(s: DeskMail) -> Iterator[DeskMail]:
        """A desk answers."""
        for m in s.mail:
            match m:
                case Ask(to=me):
                    yield s.evolve(mail=s.mail - {m} | {Retort(me)})
                case Retort():
                    yield s.evolve(mail=s.mail - {m}, sent=s.sent.add(m))

    assert steps(model, lambda s: Retort(Typist(0)) in s.sent, 80) == [
        "   2  ask(me=0)  A desk asks the other one.",
        "   3  receive    - Ask(to 0)",
        "        A desk answers.",
        "   4  receive    - Retort(of 0)",
    ]


def test_a_set_within_a_value_is_looked_into() -> None:
    """An argument that is no message does not tell it; a line too long is broken."""
    model = desk_mail()

    @model.action
    def open_drawer(s: DeskMail, me: Typist) -> Iterator[DeskMail]:
        yield from opened(s, me)

    def opened(s: DeskMail, me: Typist) -> Iterator[DeskMail]:
        for m in s.drawers[me].inbox:
            left = s.drawers[me].inbox - {m}
            yield s.evolve(drawers={me: s.drawers[me].evolve(inbox=left)})

    def is_open(s: DeskMail) -> bool:
        return s.drawers[0].asked and not s.drawers[0].inbox

    assert steps(model, is_open, 80)[-1] == "   3  open_drawer(me=0)  - Ask(to 0)"
    assert steps(model, is_open, 30)[-2:] == [
        "   3  open_drawer(me=0)",
        "        - Ask(to 0)",
    ]


def test_what_comes_into_a_set_tells_it_if_nothing_leaves_one() -> None:
    """As where messages are never removed."""
    model = desk_mail()

    @model.action
    def answer(s: DeskMail) -> Iterator[DeskMail]:
        for m in s.mail:
            if isinstance(m, Ask):
                yield s.evolve(sent=s.sent.add(Retort(m.to)))

    found = steps(model, lambda s: Retort(Typist(0)) in s.sent, 80)
    assert found[-1] == "   3  answer     + Retort(of 0)"
