"""Count the states that Spin's hash compaction loses.

``python bench/hash_compaction.py`` compares with the port of ``make bench``. Up to
``-w32`` Spin 6.5.2 hashes with ``d_sfh``, which leaves ``K2`` as it was, and ``-DHC4``
keeps four bytes of ``K2``: so states are told apart by the 32 bits of ``K1`` alone.
With ``d_hash``, which sets both, all states are there.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import click

from spin_variants import BOTH_WORDS, SMALL_TABLE, SpinVariant, stored_states

SIZES = ("3 3 2", "2 2 3")
"""Log size, records and highest leader epoch."""
COMPACT = ("-DHC4",)
VARIANTS = (
    SpinVariant("whole states", (), SMALL_TABLE),
    SpinVariant("-DHC4", COMPACT, SMALL_TABLE),
    SpinVariant("-DHC4 with d_hash", COMPACT, SMALL_TABLE, checker_edits=BOTH_WORDS),
)
"""By what Spin keeps of a state."""


@click.command()
@click.argument("sizes", nargs=-1)
def main(sizes: tuple[str, ...]) -> None:
    """Print the states that are stored, for sizes such as "3 3 2"."""
    for words in sizes or SIZES:
        log_size, records, max_leader_epoch = map(int, words.split())
        with tempfile.TemporaryDirectory() as folder:
            for variant in VARIANTS:
                size = (log_size, records, max_leader_epoch)
                command = variant.compiled(size, Path(folder))
                done = subprocess.run(command, check=True, capture_output=True)
                states = stored_states(done.stdout.decode())
                click.echo(f"{words}: {variant.name}: {states:,} states")


if __name__ == "__main__":
    main()
