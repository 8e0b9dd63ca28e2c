"""Java processes of one cluster; each is ended by its own handle only."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from attrs import define, field

LOG4J = Path(__file__).with_name("log4j.properties")
PATIENCE = 60
"""Seconds that the end of a process is waited for."""


@define
class JavaProcesses:
    """Processes by name, each with a log of its own in ``folder``.

    Settings and what is printed are below ``data``.
    """

    classpath: str
    folder: Path
    data: Path
    _running: dict[str, subprocess.Popen[bytes]] = field(init=False, factory=dict)

    def start(
        self, name: str, main: str, heap: str, settings: Mapping[str, object]
    ) -> None:
        """Start a program with a file of settings and a bounded heap."""
        file = self.data / f"{name}.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        command = ["java", f"-Xmx{heap}", "-XX:+UseSerialGC", "-Duser.timezone=UTC"]
        command += ["-XX:TieredStopAtLevel=1", f"-Dlog4j.configuration=file:{LOG4J}"]
        command += [f"-Dlog.file={self.folder / name}.log", "-cp", self.classpath]
        with (self.data / f"{name}.out").open("ab") as out:
            self._running[name] = subprocess.Popen(
                [*command, main, str(file)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def is_running(self, name: str) -> bool:
        """Tell whether a process runs."""
        process = self._running.get(name)
        return process is not None and process.poll() is None

    def end(self, name: str, number: signal.Signals) -> None:
        """Send a signal that ends a process, and wait for its end."""
        process = self._running.pop(name)
        process.send_signal(number)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def pause(self, name: str, seconds: float) -> None:
        """Halt a process for a while."""
        self.halt(name)
        time.sleep(seconds)
        self.go_on(name)

    def halt(self, name: str) -> None:
        """Halt a process until it is to go on."""
        self._running[name].send_signal(signal.SIGSTOP)

    def go_on(self, name: str) -> None:
        """Let a halted process go on."""
        self._running[name].send_signal(signal.SIGCONT)

    def end_all(self) -> None:
        """End every process."""
        for process in self._running.values():
            process.kill()
            process.wait()
        self._running.clear()


def free_port(host: str) -> int:
    """Port of an address that no process listens on."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port
