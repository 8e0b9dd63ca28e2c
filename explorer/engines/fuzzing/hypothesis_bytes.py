"""Drawing: hypothesis draws texts of bytes, the same ones on every machine.

By default hypothesis sometimes takes constants from the source files that happen to be
imported, which differ between machines. So the function that draws bytes is replaced by
one that asks its random numbers alone, for as long as a campaign lasts. It is not
public; whether it still is as expected is tried before the first campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import __version__ as version
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

PHASES = (Phase.reuse, Phase.generate, Phase.target, Phase.shrink)
KNOWN = "6.150 to 6.170"
"""The releases of hypothesis that are known to draw as is expected here."""
PROVIDERS = "hypothesis.internal.conjecture.providers"

Compose = Callable[[Random], bytes]
"""Makes a text of the wanted length from random numbers."""


class OtherHypothesis(Exception):
    """The installed release of hypothesis draws in another way than is expected."""


@contextmanager
def _composing(compose: Compose) -> Iterator[None]:
    """Let hypothesis draw texts in this way."""
    provider_type: Any = import_module(PROVIDERS).HypothesisProvider
    before = provider_type.draw_bytes

    def draw_bytes(provider: Any, min_size: int = 0, max_size: int = 0) -> bytes:
        text = compose(provider._random)
        assert min_size == max_size == len(text)
        return text

    provider_type.draw_bytes = draw_bytes
    try:
        yield
    finally:
        provider_type.draw_bytes = before


def draw(
    attempt: Callable[[bytes], None],
    compose: Compose,
    length: int,
    number: int,
    examples: int,
    database: Path | None = None,
) -> None:
    """Call ``attempt`` with texts until it raises; then with ever smaller ones.

    Args:
        attempt: may call ``hypothesis.target``.
        compose: makes a new text.
        length: of every text.
        number: decides about chance.
        examples: so many at most before it raises.
        database: a folder with what made it raise earlier, which is tried first.

    Raises:
        Exception: what ``attempt`` raises for the smallest text. A KeyboardInterrupt
            ends everything at once.
        OtherHypothesis: if the installed release cannot be made to draw such texts.
    """
    _require_composing()
    _draw(attempt, compose, length, number, examples, database)


@cache
def _require_composing() -> None:
    """Try whether hypothesis calls what draws bytes, and takes what it returns."""
    texts: list[bytes] = []
    wanted = b"composed"
    try:
        _draw(texts.append, lambda random: wanted, len(wanted), 0, 9, None)
    except (ImportError, AttributeError, TypeError, AssertionError):
        texts.clear()
    if wanted not in texts:
        raise OtherHypothesis(
            f"hypothesis {version} draws in another way than is expected here; install"
            f" one of {KNOWN}, or use `replicheck simulate`"
        )


def _draw(
    attempt: Callable[[bytes], None],
    compose: Compose,
    length: int,
    number: int,
    examples: int,
    database: Path | None,
) -> None:
    def trying(text: bytes) -> None:
        attempt(text)

    # Not `attempt` itself: where the database keeps a text depends on the function.
    drawn: Any = given(st.binary(min_size=length, max_size=length))(trying)
    kept = None if database is None else DirectoryBasedExampleDatabase(database)
    chosen = settings(
        max_examples=examples,
        database=kept,
        phases=PHASES,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        backend="hypothesis",
    )
    # In this order, for a seed without further settings takes the database away.
    with _composing(compose):
        chosen(seed(number)(drawn))()
