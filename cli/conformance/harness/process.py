"""The harness as a process: commands as lines of JSON in, states as lines out."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any, Self

from attrs import field, frozen

from replicheck.cli.conformance.harness.compilation import HEAP, Program
from replicheck.cli.conformance.harness.errors import (
    ENDED,
    HANGS,
    HarnessError,
    HarnessUnavailable,
)

BROKERS = "kafka.server.Main"
"""The program with the replication layer of brokers."""
CONTROLLERS = "kafka.controller.ControllerMain"
"""The program with controllers around a ZooKeeper."""
QUORUM = "org.apache.kafka.controller.QuorumMain"
"""The program with the active controller in KRaft."""
KRAFT = "kafka.server.KraftMain"
"""The program with the active controller and all brokers in KRaft."""
# One thread at a time does anything, and a process lives for minutes.
OPTIONS = ("-XX:+UseSerialGC", HEAP, "-XX:TieredStopAtLevel=1", "-Xshare:auto")
MEMORY_DISK = Path("/dev/shm")
TOO_OLD = ", since this Java is too old: Kafka 4 needs Java 17, set JAVA_HOME"
READ_SIZE = 1 << 16
OUT_OF_MEMORY = "java.lang.OutOfMemoryError"
SECONDS = 120.0
"""After so long without an answer the process is taken to hang."""


@frozen
class Command:
    """One call of the harness, with its arguments."""

    name: str
    arguments: Mapping[str, Any] = field(factory=dict)

    def line(self, is_quiet: bool) -> str:
        """Line of JSON; the answer to a quiet one has no state."""
        told: dict[str, Any] = {"do": self.name, **self.arguments}
        if is_quiet:
            told["quiet"] = True
        return json.dumps(told)

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.name}({inside})"


class HarnessProcess:
    """A Java process with Kafka's classes of one version. It ends with `close`."""

    def __init__(self, program: Program, main: str = BROKERS) -> None:
        """Start the process, and shake hands.

        Args:
            main: the class of the harness that reads commands.

        Raises:
            HarnessUnavailable: if it does not start.
        """
        self._folder = Path(mkdtemp(prefix="replicheck-conform-", dir=_disk()))
        self._errors = self._folder / "stderr"
        data = self._folder / "data"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [program.java, *OPTIONS, "-cp", program.class_path, main, data],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self._read = b""
        self._selector = selectors.DefaultSelector()
        assert self._process.stdout is not None, "it is a pipe"
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        try:
            hello = self._exchange([Command("hello")])
        except HarnessError as error:
            self.close()
            hint = TOO_OLD if "UnsupportedClassVersionError" in str(error) else ""
            raise HarnessUnavailable(
                f"the harness does not start{hint}: {error}"
            ) from error
        self.kafka: str = hello["kafka"]
        self.commands: tuple[str, ...] = tuple(hello["commands"])

    def take(self, commands: Sequence[Command]) -> dict[str, Any]:
        """Take commands in their order; the state after the last one.

        Raises:
            HarnessError: if one cannot be taken, or Kafka raises in it.
            HarnessUnavailable: if there is no memory left for it.
        """
        answer = self._exchange(commands)
        state: dict[str, Any] = answer["state"]
        return state

    def ask(self, command: Command) -> dict[str, Any]:
        """Answer to a command that is about no cluster.

        Raises:
            HarnessError: if it cannot be answered, or Kafka raises in it.
        """
        return self._exchange([command])

    def _exchange(self, commands: Sequence[Command]) -> dict[str, Any]:
        *quiet, last = commands
        lines = [*(command.line(is_quiet=True) for command in quiet)]
        lines.append(last.line(is_quiet=False))
        assert self._process.stdin is not None, "it is a pipe"
        try:
            self._process.stdin.write("".join(f"{x}\n" for x in lines).encode())
            self._process.stdin.flush()
        except OSError as error:
            raise self._ended(last) from error
        answers = [self._answer(command) for command in commands]
        for command, answer in zip(commands, answers, strict=True):
            if answer.get("kind") == OUT_OF_MEMORY:
                raise HarnessUnavailable(
                    f"the harness has no memory left for {command} ({HEAP}), which says"
                    " nothing of Kafka: take fewer walks at once"
                )
            if "error" in answer:
                raise HarnessError(
                    str(command), answer["kind"], answer["error"], answer["trace"]
                )
        return answers[-1]

    def _answer(self, command: Command) -> dict[str, Any]:
        assert self._process.stdout is not None, "it is a pipe"
        while b"\n" not in self._read:
            if not self._selector.select(SECONDS):
                self._process.kill()
                raise HarnessError(str(command), HANGS, f"none in {SECONDS:g} s")
            more = os.read(self._process.stdout.fileno(), READ_SIZE)
            if not more:
                raise self._ended(command)
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ended(self, command: Command) -> HarnessError:
        last = self._errors.read_text(errors="replace").strip()[-2000:]
        return HarnessError(str(command), ENDED, f"the process ended: {last}")

    def close(self) -> None:
        """End the process, and remove its files."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _disk() -> str:
    """A folder in memory if there is one: every step writes files."""
    return str(MEMORY_DISK) if MEMORY_DISK.is_dir() else gettempdir()
