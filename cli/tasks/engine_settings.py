"""How an engine is to go about a search; what it finds depends on the first only."""

from __future__ import annotations

from enum import Enum

from attrs import frozen


class Counting(Enum):
    """Which states count as different."""

    ALL = "all"
    UP_TO_SYMMETRY = "up-to-symmetry"


@frozen
class Settings:
    """The options of engines; an engine says which of them it knows."""

    counting: Counting = Counting.ALL
    threads: int = 0
    """How many; 0 is one for each core."""
    fingerprints: str = "64"
    """By how many bits states are told apart, or ``exact``."""
    paranoid: bool = False
    """Whether everything is done twice and compared."""
    master: str | None = None
    """The Spark that does the work; None is that of Spark's configuration."""
    buckets: int = 0
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
        if self.fingerprints != "64":
            words += ["--fingerprints", self.fingerprints]
        return words
