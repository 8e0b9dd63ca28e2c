"""Messages of terms in a queue: the state says what a stream shows next."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import Event, Label
from replicheck.explorer.engines.trace_validation.queued_events import QueuedEvents
from replicheck.explorer.instances import Instance
from replicheck.model.state_base import Cells
from toys import Toy


@frozen
class Post(Cells):
    """Messages of a term in a queue, copies of the first ones, and what may be sent."""

    sent: str = ""
    copies: str = ""
    term: int = 1
    left: int = 3


def send_one(post: Post) -> Iterator[Post]:
    """The message 1 is sent; nothing shows it."""
    if post.left:
        yield post.evolve(sent=f"{post.sent}1", left=post.left - 1)


def send_two(post: Post) -> Iterator[Post]:
    """The message 2 is sent; nothing shows it."""
    if post.left:
        yield post.evolve(sent=f"{post.sent}2", left=post.left - 1)


def copy_head(post: Post) -> Iterator[Post]:
    """The first message is there twice from now on; nothing shows it."""
    if post.sent and not post.copies:
        yield post.evolve(copies=f"{post.term}{post.sent[0]}")


def take_head(post: Post) -> Iterator[Post]:
    """The first message is taken."""
    if post.sent:
        yield post.evolve(sent=post.sent[1:])


def take_copy(post: Post) -> Iterator[Post]:
    """The copy is taken."""
    if post.copies:
        yield post.evolve(copies="")


def begin_term(post: Post) -> Iterator[Post]:
    """A term ends with its messages, and the next begins; the change is shown."""
    if post.term < 3:
        yield post.evolve(sent="", term=post.term + 1)


def lose_all(post: Post) -> Iterator[Post]:
    """The messages are lost, and no more are sent; nothing shows it."""
    if post.left:
        yield post.evolve(sent="", left=0)


MODEL = Toy(
    (send_one, send_two, copy_head, take_head, take_copy, begin_term, lose_all),
    (Post(),),
)


def projection(action: Instance, before: Post, after: Post) -> list[Event]:
    """What is taken is shown, with the term of the one who sent it."""
    if action.name == "take_head":
        return [("taken", {"term": before.term, "message": int(before.sent[0])})]
    if action.name == "take_copy":
        term, message = before.copies[0], before.copies[1]
        return [("taken", {"term": int(term), "message": int(message)})]
    return [("terms", {"term": after.term})] if action.name == "begin_term" else []


def queued(post: Post) -> list[QueuedEvents]:
    """The first message, since copies of it can come before the second."""
    labels = tuple({"term": post.term, "message": int(m)} for m in post.sent[:1])
    return [QueuedEvents("taken", labels, {"term": post.term}, len(post.copies) // 2)]


def clears(queue: str, stream: str, label: Label) -> bool:
    """A term that begins drops the messages."""
    return stream == "terms"


KNOWN = HiddenSteps(clears=clears)
