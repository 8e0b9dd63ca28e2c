"""Drawing: hypothesis draws texts of bytes, the same ones on every machine.

By default hypothesis sometimes takes constants from the source files that happen to be
imported, which differ between machines. So the function that draws bytes is replaced by
one that asks its random numbers alone, for as long as a campaign lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture.providers import HypothesisProvider

PHASES = (Phase.reuse, Phase.generate, Phase.target, Phase.shrink)


Compose = Callable[[Random], bytes]
"""Makes a text of the wanted length from random numbers."""


@contextmanager
def _composing(compose: Compose) -> Iterator[None]:
    """Let hypothesis draw texts in this way."""
    before = HypothesisProvider.draw_bytes

    def draw_bytes(
        provider: HypothesisProvider, min_size: int = 0, max_size: int = 0
    ) -> bytes:
        assert provider._random is not None
        text = compose(provider._random)
        assert min_size == max_size == len(text)
        return text

    setattr(HypothesisProvider, "draw_bytes", draw_bytes)  # noqa: B010
    try:
        yield
    finally:
        setattr(HypothesisProvider, "draw_bytes", before)  # noqa: B010


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
    """

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
