"""Requests over a link that loses messages: each that is asked for is done, in the end.

Nothing bounds how often a message is lost, so there are runs that go on for ever. Runs
in which every copy is lost are not meant: `deliver` and `complete` are strongly fair,
so what is sent again and again arrives at some time. No client has to ask and no
message has to be lost: faults may happen for ever, or never.

    replicheck check examples/lossy_link.py --livelocks
    replicheck check examples/lossy_link.py --livelocks --protocol sends-once
"""

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound


class Request(Id):
    """A request of a client."""


class LinkBounds(Bounds):
    """How many requests there are."""

    requests: int = bound(2, at_least=1)


class Link(State):
    """Requests that were asked for and done, and messages on their way."""

    asked: tuple[bool, ...]
    done: tuple[bool, ...]
    sent: frozenset[Request] = frozenset()
    requests: frozenset[Request] = frozenset()
    answers: frozenset[Request] = frozenset()


Steps = Iterator[Link]
model = Model("lossy-link", LinkBounds, domains={Request: "requests"})


@model.initial
def idle(bounds: LinkBounds) -> Link:
    """Nothing was asked for."""
    return Link((False,) * bounds.requests, (False,) * bounds.requests)


@model.fault
def ask(s: Link, r: Request) -> Steps:
    """A client asks; it need not."""
    if not s.asked[r]:
        yield s.evolve(asked={r: True})


@model.action
def send(s: Link, r: Request) -> Steps:
    """The request is sent, again and again until it is done."""
    if s.asked[r] and not s.done[r] and r not in s.requests:
        yield s.evolve(requests=s.requests | {r}, sent=s.sent | {r})


@model.fault
def lose(s: Link, r: Request) -> Steps:
    """The link loses a request or an answer."""
    if r in s.requests:
        yield s.evolve(requests=s.requests - {r})
    if r in s.answers:
        yield s.evolve(answers=s.answers - {r})


@model.strongly_fair
@model.action
def deliver(s: Link, r: Request) -> Steps:
    """The request arrives and is answered."""
    if r in s.requests:
        yield s.evolve(requests=s.requests - {r}, answers=s.answers | {r})


@model.strongly_fair
@model.action
def complete(s: Link, r: Request) -> Steps:
    """The answer arrives."""
    if r in s.answers:
        yield s.evolve(answers=s.answers - {r}, done={r: True})


def send_once(s: Link, r: Request) -> Steps:
    """The request is sent, and never again."""
    if s.asked[r] and not s.done[r] and r not in s.sent:
        yield s.evolve(requests=s.requests | {r}, sent=s.sent | {r})


model.variant("sends-once", {send: send_once})


@model.always
def done_was_asked_for(s: Link, r: Request) -> bool:
    """What is done was asked for."""
    return s.asked[r] or not s.done[r]


def is_asked(s: Link, r: Request) -> bool:
    """A request was asked for."""
    return s.asked[r]


def is_done(s: Link, r: Request) -> bool:
    """A request is done."""
    return s.done[r]


model.leads_to(is_asked, is_done)


@model.eventually_always
def nothing_is_on_its_way(s: Link, r: Request) -> bool:
    """No message of a request is on its way."""
    return r not in s.requests and r not in s.answers
