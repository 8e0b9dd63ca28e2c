"""Ways to run Spin on the port of ``bench/kip320_promela.py``.

``-DHC4`` loses states as it is shipped, see ``bench/hash_compaction.py``; so it is
taken with the hash that sets both words. Breadth-first search in parallel refuses a
hidden variable; the port has one, which is made one that is 0 after every step.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from attrs import frozen

HERE = Path(__file__).resolve().parent
SHORT_HASH, LONG_HASH = "hasher = d_sfh;", "hasher = d_hash;"
Edits = tuple[tuple[str, str], ...]
"""What is replaced in a text, and by what."""
BOTH_WORDS: Edits = ((SHORT_HASH, LONG_HASH),)
NOTHING_HIDDEN: Edits = (
    ("hidden byte at;", "byte at;"),
    (" CHECK }", "; at = 0 CHECK }"),
)
FLAGS = ("-w", "-O2", "-DNOREDUCE", "-DSAFETY")
"""Of the compiler, which says nothing of what Spin writes."""


@frozen
class SpinVariant:
    """Options of the compiler and of the checker, and edits of model and checker."""

    name: str
    flags: tuple[str, ...]
    options: tuple[str, ...]
    model_edits: Edits = ()
    checker_edits: Edits = ()

    def compiled(self, size: tuple[int, int, int], folder: Path) -> list[str | Path]:
        """Compile the checker of a size in a folder; return the command to run it.

        Raises:
            SystemExit: if Spin does not write what is to be edited.
        """
        place = folder / f"{size} {self.name}"
        if not place.exists():
            place.mkdir()
            self._compile(size, place)
        return [place / "pan", *self.options]

    def _compile(self, size: tuple[int, int, int], place: Path) -> None:
        words = [str(each) for each in (3, *size)]
        port = [sys.executable, str(HERE / "kip320_promela.py"), *words]
        model = subprocess.run(port, check=True, capture_output=True, text=True).stdout
        edited = replaced(model, self.model_edits)
        (place / "model.pml").write_text(edited, "utf-8")
        spin = ["spin", "-a", "model.pml"]
        subprocess.run(spin, cwd=place, check=True, stdout=subprocess.DEVNULL)
        checker = place / "pan.c"
        text = replaced(checker.read_text("utf-8"), self.checker_edits)
        checker.write_text(text, "utf-8")
        compiler = ["gcc", *FLAGS, *self.flags, "-o", "pan", "pan.c"]
        subprocess.run(compiler, cwd=place, check=True)


def replaced(text: str, edits: Edits) -> str:
    """The text with all edits made.

    Raises:
        SystemExit: if there is nothing to replace.
    """
    for old, new in edits:
        if old not in text:
            raise SystemExit(f"this Spin, or the port, has no `{old}`")
        text = text.replace(old, new)
    return text


def stored_states(text: str) -> int:
    """How many states a checker says that it stored."""
    (line,) = (line for line in text.splitlines() if "states, stored" in line)
    return int(line.split()[0])


LARGE_TABLE, SMALL_TABLE = ("-m1000000", "-w26"), ("-m1000000", "-w24")
"""Options of a checker: how long a run may be, and how large the hash table is."""
DEPTH_FIRST = SpinVariant("-O2, depth-first, -w26", (), LARGE_TABLE)
COMPACT = SpinVariant(
    "-DHC4 with d_hash", ("-DHC4",), LARGE_TABLE, checker_edits=BOTH_WORDS
)
BREADTH_FIRST = SpinVariant("-DBFS", ("-DBFS",), ("-w26",), NOTHING_HIDDEN)
PARALLEL = SpinVariant("-DBFS_PAR -u2", ("-DBFS_PAR",), ("-u2", "-w26"), NOTHING_HIDDEN)
SMALL = SpinVariant("-O2, depth-first, -w24", (), SMALL_TABLE)
