"""Ends searches of eleven kinds by signals, resumes them, and compares their reports.

``python bench/kills.py [--kills N] [--seed S] [KIND ...]`` ends N processes of each
kind, by SIGKILL, SIGTERM and SIGINT in turn, at moments by chance: the second process
of a search is ``replicheck resume``, and may be ended as well. What is left then runs
to its end. Its exit code, JSON report and saved runs must be those of a run that
nothing ended; a process that another signal than SIGKILL ended must exit with 77, or
with the code of what it found. Walks at random have no checkpoint: they begin anew,
with the same seed.

Writes a line in Markdown for each kind: how many processes each signal ended, at how
many levels, how often the search was resumed, or had kept nothing and began anew, and
how many reports differed. Each of these is written to standard error.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from attrs import define, frozen

REPLICHECK = str(Path(sys.executable).with_name("replicheck"))
ENOUGH_FOR_SPARK = """
from replicheck.explorer.engines.partitioned import engine
engine.SMALL_LEVEL, engine.PATIENCE = 1000, 0
from replicheck.cli.main import main
main()
"""
"""The command, but for what it takes to need Spark."""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
INCOMPLETE = 77
REPORT, RUNS = Path("report.json"), Path(".replicheck")
BOUNDS = "brokers=2,log_size=2,records=2,max_leader_epoch=2"
FLAW = ("replication", "--protocol", "kip-101", "--bounds", BOUNDS)
KEPT = ("--no-cache", "--checkpoint-every", "0", "--json", str(REPORT))
SUITE = f"""
[[check]]
scenario = "replication"
bounds = {{ {BOUNDS.replace(",", ", ")} }}
[[check]]
scenario = "replication"
protocol = "kip-101"
bounds = {{ {BOUNDS.replace(",", ", ")} }}
"""
VARYING = frozenset({"seconds", "details"})
"""Keys of the JSON report that differ between any two runs."""
MOST_IN_TURN = 2
"""So many processes of one search are ended."""


def _wait_for_line(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has said what it searches, or has ended."""
    assert process.stderr is not None
    process.stderr.readline()


def _wait_for_lock(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has locked the folder of its run, or has ended."""
    files = Path(f"/proc/{process.pid}/fd")
    while process.poll() is None:
        for file in files.iterdir():
            with suppress(FileNotFoundError):
                if file.readlink().name == "lock":
                    return
        time.sleep(0.01)


@frozen
class SearchKind:
    """Command lines: that begins a search of a kind, and that resumes it, if any."""

    begin: Sequence[str]
    resume: Sequence[str] = (REPLICHECK, "resume")
    wait: Callable[[subprocess.Popen[bytes]], None] = _wait_for_line


def _check(*options: str) -> SearchKind:
    return SearchKind((REPLICHECK, "check", *FLAW, *KEPT, *options))


def _spark(*begin: str) -> SearchKind:
    master = ("--master", "local[1]")
    resume = (*begin, "resume", *master)
    options = ("--engine", "spark", *master, "--no-cache", "--keep-going")
    check = (*begin, "check", *FLAW, *options, "--json", str(REPORT))
    return SearchKind(check, resume)


KINDS: Mapping[str, SearchKind] = {
    "breadth-first": _check("--keep-going", "--threads", "1"),
    "--all-violations": _check("--all-violations", "--threads", "1"),
    "on the disk": _check("--keep-going", "--threads", "1", "--limit-memory", "50M"),
    "two threads": _check("--keep-going", "--threads", "2"),
    "--symmetry": _check("--all-violations", "--threads", "1", "--symmetry"),
    "--paranoid, exact": _check(
        *("--keep-going", "--threads", "1", "--paranoid", "--fingerprints", "exact")
    ),
    "a suite": SearchKind(
        (REPLICHECK, "check", "suite.toml", *KEPT), wait=_wait_for_lock
    ),
    "partitioned": _spark(REPLICHECK),
    "Spark": _spark(sys.executable, "-c", ENOUGH_FOR_SPARK),
    "simulate": SearchKind(
        (REPLICHECK, "simulate", *FLAW, "--walks", "90000", "--json", str(REPORT)), ()
    ),
    "fuzz with a database": SearchKind(
        (REPLICHECK, "fuzz", *FLAW, "--database", "kept", "--json", str(REPORT)), ()
    ),
}


@frozen
class Outcome:
    """What a search that ran to its end came to."""

    code: int
    report: Any
    saved: Mapping[str, bytes]


@define
class Tally:
    """Counts of what happened to the processes of a kind."""

    ended: dict[str, int]
    levels: set[int]
    resumed: int = 0
    anew: int = 0
    different: int = 0

    @property
    def count(self) -> int:
        """Number of processes that were ended."""
        return sum(self.ended.values())


class Trials:
    """Searches of one kind, in a folder of their own."""

    def __init__(self, name: str, folder: Path, chance: random.Random) -> None:
        self.name, self.kind, self.folder, self.chance = (
            name,
            KINDS[name],
            folder,
            chance,
        )
        self.signals: Iterator[signal.Signals] = cycle(SIGNALS)
        self.tally = Tally({number.name: 0 for number in SIGNALS}, set())
        (folder / "suite.toml").write_text(SUITE, "utf-8")
        # The first run may compile, and gives the database what it keeps.
        for _ in range(2):
            started = time.monotonic()
            self.expected = self._finish(self.kind.begin)
            self.seconds = time.monotonic() - started

    def run(self, count: int) -> Tally:
        """End so many processes."""
        while self.tally.count < count:
            self._try_once()
        return self.tally

    def _try_once(self) -> None:
        """One search, whose processes are ended until one is left to itself."""
        command = self.kind.begin
        for _ in range(self.chance.randint(1, MOST_IN_TURN)):
            if not self._end(command):
                break
            command = self._go_on()
        else:
            self._compare(self._finish(command))
            return
        self._compare(self._outcome(self.expected.code))

    def _go_on(self) -> Sequence[str]:
        """The command that goes on with what a process left."""
        if self.kind.resume and any(self.folder.glob(f"{RUNS}/*/run.json")):
            self.tally.resumed += 1
            return self.kind.resume
        self.tally.anew += 1
        return self.kind.begin

    def _end(self, command: Sequence[str]) -> bool:
        """Begin a process and send it a signal; False if it came to its end before."""
        number = next(self.signals)
        (self.folder / REPORT).unlink(missing_ok=True)
        with subprocess.Popen(
            command,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            self.kind.wait(process)
            time.sleep(self.chance.uniform(0, 0.7) * self.seconds)
            self.tally.levels.add(self._level())
            process.send_signal(number)
            errors = process.communicate()[1]
        code = process.returncode
        if b"Traceback" in errors:
            self._report(f"{number.name}: {errors.decode()}")
        if code == -signal.SIGKILL == -number:
            self.tally.ended[number.name] += 1
            return True
        if not self._is_interrupted():
            return False
        self.tally.ended[number.name] += 1
        if code not in (INCOMPLETE, self.expected.code):
            self._report(f"{number.name}: exit code {code}: {errors.decode()}")
        return True

    def _is_interrupted(self) -> bool:
        """Tell whether the report says that a signal ended the search."""
        with suppress(FileNotFoundError):
            return '"interrupted"' in (self.folder / REPORT).read_text("utf-8")
        return True

    def _level(self) -> int:
        """The level of the last checkpoint, 0 if there is none."""
        levels = [0]
        with suppress(FileNotFoundError, KeyError):
            for manifest in self.folder.glob(f"{RUNS}/*/task-*/manifest.json"):
                body = json.loads(manifest.read_text("utf-8"))["body"]
                levels.append(len(body["snapshot"]["levels"]))
        stored = f"{RUNS}/*/task-*/store/level-*/manifest.json"
        with suppress(FileNotFoundError):
            for manifest in self.folder.glob(stored):
                levels.append(1 + int(manifest.parent.name.removeprefix("level-")))
        return max(levels)

    def _finish(self, command: Sequence[str]) -> Outcome:
        """Run a command to its end."""
        (self.folder / REPORT).unlink(missing_ok=True)
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False
        )
        if not (self.folder / REPORT).exists():
            self._report(f"exit code {done.returncode}: {done.stderr}")
        return self._outcome(done.returncode)

    def _outcome(self, code: int) -> Outcome:
        """What there is now, which is taken away."""
        path, report = self.folder / REPORT, None
        if path.exists():
            report = without_varying(json.loads(path.read_text("utf-8")))
        saved = {}
        for trace in self.folder.glob("counterexamples/*"):
            saved[trace.name] = trace.read_bytes()
            trace.unlink()
        return Outcome(code, report, saved)

    def _compare(self, found: Outcome) -> None:
        left = [str(path) for path in self.folder.glob(f"{RUNS}/*")]
        if found != self.expected or left:
            self.tally.different += 1
            self._report(f"expected {self.expected}, found {found}, left {left}")

    def _report(self, problem: str) -> None:
        print(f"{self.name}: {problem}", file=sys.stderr, flush=True)


def without_varying(value: Any) -> Any:
    """The report without what differs between any two runs."""
    if isinstance(value, dict):
        names = value.keys() - VARYING
        return {name: without_varying(value[name]) for name in names}
    if isinstance(value, list):
        return [without_varying(part) for part in value]
    return value


def main() -> None:
    """End processes of each kind that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    names = [number.name for number in SIGNALS]
    print("| kind |", " | ".join(names), "| levels | resumed | anew | different |")
    print("| --- |" + " ---: |" * (len(names) + 4), flush=True)
    for name in options.kinds or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            chance = random.Random(f"{name} {options.seed}")
            tally = Trials(name, Path(folder), chance).run(options.kills)
        cells = [*tally.ended.values(), len(tally.levels)]
        cells += [tally.resumed, tally.anew, tally.different]
        print(f"| {name} |", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
