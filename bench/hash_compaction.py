"""Count the states that Spin's hash compaction loses.

``python bench/hash_compaction.py`` compares with the port of ``make bench``. Up to
``-w32`` Spin 6.5.2 hashes with ``d_sfh``, which leaves ``K2`` as it was, and ``-DHC4``
keeps four bytes of ``K2``: so states are told apart by the 32 bits of ``K1`` alone.
With ``d_hash``, which sets both, all states are there.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from spin_variants import LONG_HASH, SHORT_HASH

HERE = Path(__file__).resolve().parent
SIZES = ("3 3 2", "2 2 3")
"""Log size, records and highest leader epoch."""
CHECKERS: dict[str, tuple[tuple[str, ...], Callable[[str], str]]] = {
    "whole states": ((), lambda checker: checker),
    "-DHC4": (("-DHC4",), lambda checker: checker),
    "-DHC4 with d_hash": (
        ("-DHC4",),
        lambda checker: checker.replace(SHORT_HASH, LONG_HASH),
    ),
}
"""By what Spin keeps of a state: options of the compiler, and a change of its text."""


def stored_states(checker: Path, options: tuple[str, ...]) -> int:
    """Compile a checker and run it; return how many states it stored."""
    program = checker.with_suffix("")
    flags = ("-O2", "-DNOREDUCE", "-DSAFETY", *options)
    compiler: list[str | Path] = ["gcc", *flags, "-o", program, checker]
    subprocess.run(compiler, check=True)
    command = [str(program), "-m1000000", "-w24"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (line,) = (line for line in text.splitlines() if "states, stored" in line)
    return int(line.split()[0])


@click.command()
@click.argument("sizes", nargs=-1)
def main(sizes: tuple[str, ...]) -> None:
    """Print the states that are stored, for sizes such as "3 3 2"."""
    for size in sizes or SIZES:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            words = ["3", *size.split()]
            port = [sys.executable, str(HERE / "kip320_promela.py"), *words]
            model = subprocess.run(port, check=True, capture_output=True).stdout
            (place / "model.pml").write_bytes(model)
            command = ["spin", "-a", "model.pml"]
            subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
            text = (place / "pan.c").read_text("utf-8")
            if SHORT_HASH not in text:
                raise click.ClickException(f"this Spin has no `{SHORT_HASH}`")
            for number, (kept, (options, change)) in enumerate(CHECKERS.items()):
                checker = place / f"pan-{number}.c"
                checker.write_text(change(text), "utf-8")
                states = stored_states(checker, options)
                click.echo(f"{size}: {kept}: {states:,} states")


if __name__ == "__main__":
    main()
