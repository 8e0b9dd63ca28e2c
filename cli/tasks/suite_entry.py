"""Entries of suites, and the words of a command line that repeat one."""

from __future__ import annotations

import shlex

import attrs
from attrs import frozen

from replicheck.invariants.catalogue.scenario import LimitTable, StopName


@frozen
class Entry:
    """Where in a suite a task comes from, and the options that change it.

    ``suite`` is as the user named it; entries are counted from 1.
    """

    suite: str
    number: int
    options: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that checks this entry alone."""
        words = ["replicheck", "check", self.suite, "--entry", str(self.number)]
        return shlex.join([*words, *self.options])


def limit_words(limits: LimitTable) -> list[str]:
    """Limits as words of a command line."""
    given = attrs.asdict(limits).items()
    return [
        word
        for name, value in given
        if value is not None
        for word in (f"--limit-{name}", str(value))
    ]


def stop_words(stop: StopName | None) -> list[str]:
    """The option, if any, that lets a search go on after a violation."""
    options = {"decided": ["--keep-going"], "exhausted": ["--all-violations"]}
    return options.get(stop or "", [])
