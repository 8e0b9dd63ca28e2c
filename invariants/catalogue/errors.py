"""What can be wrong with a scenario, said in one message."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from attrs import frozen


class ScenarioError(Exception):
    """A scenario or suite cannot be read, or names what does not exist.

    The message names the place, what is there, what was expected, and for a name the
    nearest valid one.
    """


@frozen
class Place:
    """Where a value was given: a file and a key path in it, or an option."""

    source: str
    path: str = ""

    def at(self, key: str) -> Place:
        """The place of a key within this one."""
        return Place(self.source, f"{self.path}.{key}" if self.path else key)

    def item(self, number: int) -> Place:
        """The place of an element, counted from 1."""
        return Place(self.source, f"{self.path}[{number}]")

    @property
    def text(self) -> str:
        """The source, and the path in it."""
        return f"{self.source}: {self.path}" if self.path else self.source

    def within(self, key: str) -> Place:
        """The place of a key in something else, which does not fit what is here."""
        return Place(self.text, key)

    def error(self, problem: str) -> ScenarioError:
        """The error that something is wrong here."""
        return ScenarioError(f"{shortened(self.text)}: {shortened(problem)}")

    def unknown(self, kind: str, name: str, known: Iterable[str]) -> ScenarioError:
        """The error that a name is none of the known ones."""
        nearest = suggestion(name, known, LISTS.get(kind, ""))
        return self.error(f'there is no {kind} "{name}"{nearest}')


def no_such_argument(
    argument: str, known: Iterable[str], models: Container[str]
) -> ScenarioError:
    """The error that an argument names nothing that can be checked.

    ``known`` are the names of what can be; ``models`` have scenarios that can be.
    """
    if argument in models:
        return Place(argument).error(
            "this is a model: name one of its scenarios, which"
            f" `replicheck show {argument}` lists"
        )
    problem = (
        "this is no scenario, suite or file: bounds are given as"
        f" `--bounds {argument}`, several with commas between them"
        if "=" in argument
        else "there is no such scenario, suite or file"
        f"{suggestion(argument, known, LISTS['scenario'])}"
    )
    return Place(argument).error(problem)


MOST_CHARACTERS = 4_000
"""A place or a problem is told in no more of them."""


def shortened(text: str) -> str:
    """Text without its middle, if it is too long for a message."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]} [...] {text[-half:]}"


MOST_NAMES = 30
"""A message has no more of them."""
NEAREST = 4
LISTS = {
    **dict.fromkeys(("scenario", "suite", "protocol", "engine"), "replicheck list"),
    "property": "replicheck list --kind properties",
    "mutant": "replicheck list --kind mutations",
    "reduction": "replicheck list --kind reductions",
}
"""By the kind of a name, the command that lists all of it."""


def suggestion(name: str, known: Iterable[str], command: str = "") -> str:
    """The end of a message that points to the valid names.

    Args:
        command: lists all of them, if one does.
    """
    names = list(dict.fromkeys(known))
    nearest = _nearest(name, names, 1, 0.5)
    nearest = nearest or [longer for longer in names if name and name in longer]
    if nearest:
        return f'; did you mean "{nearest[0]}"?'
    if len(names) > MOST_NAMES:
        nearest = _nearest(name, names, NEAREST, 0.0)
        all_names = f"; `{command}` has all" if command else ""
        return f"; the nearest of {len(names)}: {', '.join(nearest)}{all_names}"
    return f"; known: {', '.join(names) or 'none'}"


def _nearest(name: str, names: Sequence[str], most: int, cutoff: float) -> list[str]:
    """So many names at most that are like one, the nearest first."""
    # Most runs have no such error, and the module takes a while to import.
    from difflib import get_close_matches

    return get_close_matches(name, names, most, cutoff)
