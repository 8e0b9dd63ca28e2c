"""Drawing: hypothesis draws texts of bytes, the same ones on every machine.

By default hypothesis sometimes takes constants from the source files that happen to be
imported, which differ between machines. So the texts come from a backend of our own,
which asks random numbers alone; hypothesis keeps, replays and shrinks what it draws.
The interface of backends is documented, and called experimental: whether it still is
as expected is tried before the first campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.internal.conjecture.providers as backends
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import __version__ as version
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

PHASES = (Phase.reuse, Phase.generate, Phase.shrink)
BACKEND = "replicheck"
ENDS = (SystemExit, GeneratorExit)
"""What a function may raise to end the process, and hypothesis takes for a failure."""
OLDEST, NEWEST = "6.150.0", "6.170.15"
"""The releases of hypothesis with which drawing was tried."""

Compose = Callable[[Random], bytes]
"""Makes a text of the wanted length from random numbers."""


class OtherHypothesis(Exception):
    """The installed release of hypothesis has no backends as they are expected here."""


@contextmanager
def _backend(compose: Compose, number: int) -> Iterator[None]:
    """Register a backend that draws texts in this way."""
    random = Random(number)

    class ComposingProvider(backends.PrimitiveProvider):
        """Draws texts, and nothing else."""

        def draw_bytes(self, min_size: int = 0, max_size: int = 0) -> bytes:
            text = compose(random)
            assert min_size == max_size == len(text)
            return text

        def draw_boolean(self, *arguments: Any, **options: Any) -> Any:
            raise OtherHypothesis(f"hypothesis {version} draws more than bytes")

        draw_integer = draw_float = draw_string = draw_boolean

    backends.AVAILABLE_PROVIDERS[BACKEND] = ComposingProvider
    try:
        yield
    finally:
        del backends.AVAILABLE_PROVIDERS[BACKEND]


def draw(
    attempt: Callable[[bytes], None],
    compose: Compose,
    length: int,
    number: int,
    examples: int,
    database: Path | None = None,
) -> None:
    """Call ``attempt`` with texts until it raises; then with ever smaller ones.

    The first text is the smallest one, which is not composed.

    Args:
        attempt: is called a second time with the first text for which it raises.
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
    _require_backends()
    _draw(attempt, compose, length, number, examples, database)


@cache
def _require_backends() -> None:
    """Try whether hypothesis asks the backend, and takes what it returns."""
    texts: list[bytes] = []
    wanted = b"composed"
    try:
        _draw(texts.append, lambda random: wanted, len(wanted), 0, 9, None)
    except (AttributeError, TypeError, AssertionError, OtherHypothesis):
        texts.clear()
    if wanted not in texts:
        raise OtherHypothesis(
            f"hypothesis {version} takes no backend of the kind that is known here;"
            f" install a release from {OLDEST} to {NEWEST}, or use `replicheck"
            " simulate`"
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
    with _backend(compose, number):
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
            backend=BACKEND,
        )
        # In this order, for a seed without further settings takes the database away.
        chosen(seed(number)(drawn))()
