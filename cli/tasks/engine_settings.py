"""How an engine is to go about a search; what it finds depends on the first only."""

from __future__ import annotations

from enum import Enum

from attrs import field, frozen
from attrs.validators import ge, in_, le

from replicheck.cli.console.options import MOST_THREADS

MOST_BUCKETS = 1 << 16
REDUCE_BEYOND = 50_000_000
"""States up to which a search takes less time if no step is left out."""
FINGERPRINTS = ("64", "128", "exact")


class Counting(Enum):
    """Which states count as different."""

    ALL = "all"
    UP_TO_SYMMETRY = "up-to-symmetry"
    REDUCED = "reduced"
    """Those to which a partial-order reduction leads."""


@frozen
class Settings:
    """The options of engines; an engine says which of them it knows."""

    counting: Counting = Counting.ALL
    reduce_beyond: int = field(default=REDUCE_BEYOND, validator=ge(0))
    """A reduced search of at most so many states leaves out nothing."""
    threads: int = field(default=0, validator=[ge(0), le(MOST_THREADS)])
    """How many; 0 is one for each core."""
    fingerprints: str = field(default="64", validator=in_(FINGERPRINTS))
    """By how many bits states are told apart, or ``exact``."""
    paranoid: bool = False
    """Whether everything is done twice and compared."""
    livelocks: bool = False
    """Whether the graph of all states is looked at, for runs that go on for ever."""
    master: str | None = None
    """The Spark that does the work; None is that of Spark's configuration."""
    buckets: int = field(default=0, validator=[ge(0), le(MOST_BUCKETS)])
    """Into how many parts states are divided; 0 is what the engine likes."""
    store: str | None = None
    """Path or URI of the directory that everyone at work shares."""
    states: str | None = None
    """Path or URI of the directory to which the reachable states go, as Parquet."""

    @property
    def words(self) -> list[str]:
        """The words of a command line that matter for what is found."""
        symmetry = self.counting is Counting.UP_TO_SYMMETRY
        words = ["--symmetry"] * symmetry + ["--paranoid"] * self.paranoid
        words += ["--reduce"] * (self.counting is Counting.REDUCED)
        if self.reduce_beyond != REDUCE_BEYOND:
            words += ["--reduce-beyond", str(self.reduce_beyond)]
        words += ["--livelocks"] * self.livelocks
        if self.fingerprints != "64":
            words += ["--fingerprints", self.fingerprints]
        return words
