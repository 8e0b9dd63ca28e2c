"""Messages in a channel and copies of them: some steps of copies are needless."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.instances import Instance
from replicheck.model.state_base import Cells
from toys import Toy

KNOWN = HiddenSteps(
    copies=frozenset({"take_copy"}), of_messages=frozenset({"sent", "copies"})
)


@frozen
class Mail(Cells):
    """Messages in a channel, copies of them, and the last one that was taken."""

    sent: str = "121"
    copies: str = ""
    taken: str = ""
    left: int = 2


def copy_head(mail: Mail) -> Iterator[Mail]:
    """The first message is there twice from now on; nothing shows it."""
    if mail.sent and mail.left:
        copies = mail.copies + mail.sent[0]
        yield mail.evolve(copies=copies, left=mail.left - 1)


def take_head(mail: Mail) -> Iterator[Mail]:
    """The first message is taken."""
    if mail.sent:
        yield mail.evolve(sent=mail.sent[1:], taken=mail.sent[0])


def take_copy(mail: Mail) -> Iterator[Mail]:
    """The first copy is taken."""
    if mail.copies:
        yield mail.evolve(copies=mail.copies[1:], taken=mail.copies[0])


def clear(mail: Mail) -> Iterator[Mail]:
    """The channel is lost with its messages, while copies stay; nothing shows it."""
    if mail.sent:
        yield mail.evolve(sent="")


MODEL = Toy((copy_head, take_head, take_copy, clear), (Mail(),))
RELIABLE = Toy((copy_head, take_head, take_copy), (Mail(),))
"""Mail whose channel is never lost."""


def projection(action: Instance, before: Mail, after: Mail) -> list[Event]:
    """What is taken is shown, and whether it was new, which a copy leaves open."""
    if action.name == "take_head":
        new = before.taken != after.taken
        return [("taken", {"message": int(after.taken), "new": new})]
    if action.name == "take_copy":
        return [("taken", {"message": int(after.taken), "new": ...})]
    return []


def owed(mail: Mail) -> list[Event]:
    """Each copy is to be taken."""
    return [("taken", {"message": int(copied), "new": ...}) for copied in mail.copies]
