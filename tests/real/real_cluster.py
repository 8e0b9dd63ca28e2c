"""A cluster of Kafka in ZooKeeper mode on loopback, and what is done to it.

Each process has a port by chance, a bounded heap, and a log file of its own in
``folder``; ``operator.jsonl`` there has what was done to the cluster from outside.

A directory fails by a file in its place: opened files go on working, and what opens one
by its name (a checkpoint, a new segment) gets an IOException, which Kafka takes for the
failure of the directory.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import kazoo.client
import kazoo.exceptions
from java_processes import JavaProcesses, free_port

HOST = "127.0.0.1"
BROKER_HEAP, ZOOKEEPER_HEAP = "256m", "128m"
REGULAR = 3
"""Brokers that start first; one of them is the controller, and no spare broker is."""
PATIENCE = 60
"""Seconds that anything is waited for."""
SETTLING = 2
"""Seconds until the controller has told the brokers of each other."""
BROKER = {
    "zookeeper.session.timeout.ms": 4000,
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "num.network.threads": 1,
    "num.io.threads": 2,
    "background.threads": 2,
    "log.cleaner.enable": "false",
    "offsets.topic.replication.factor": 1,
    "replica.lag.time.max.ms": 1500,
    "replica.fetch.wait.max.ms": 400,
    "controlled.shutdown.max.retries": 1,
    "replica.high.watermark.checkpoint.interval.ms": 1000,
    "log.flush.offset.checkpoint.interval.ms": 1500,
}
"""Settings of every broker: what would take minutes takes seconds."""
ZOOKEEPER = {
    "tickTime": 500,
    "clientPortAddress": HOST,
    "maxClientCnxns": 0,
    "admin.enableServer": "false",
    "snapCount": 1_000_000,
}
SHUTDOWN = "Starting controlled shutdown"
"""What a broker logs when it is told to stop."""


class NotReached(Exception):
    """The cluster did not come to what a scenario waits for."""


class RealCluster:
    """Processes of one cluster, and their ZooKeeper; ends them all on leaving."""

    def __init__(
        self,
        classpath: str,
        folder: Path,
        brokers: int = REGULAR,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.folder, self.brokers = folder, brokers
        self.data = folder / "data"
        self.is_at_rest = False
        self.settings = {**BROKER, **(settings or {})}
        self.processes = JavaProcesses(classpath, folder, self.data)
        self.ports = [free_port(HOST) for _ in range(brokers)]
        self.zookeeper_port = free_port(HOST)
        self.client = kazoo.client.KazooClient(f"{HOST}:{self.zookeeper_port}")
        self.data.mkdir(parents=True)

    def __enter__(self) -> Self:
        try:
            self._start_all()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        self.note("end", at_rest=self.is_at_rest)
        self.end()

    def end(self) -> None:
        """End every process that this cluster started."""
        self.client.stop()
        self.client.close()
        self.processes.end_all()

    def note(self, event: str, **fields: object) -> None:
        """Write down what is done to the cluster, with the time."""
        self._write(event, _now(), **fields)

    # processes

    def start_broker(self, broker: int) -> None:
        """Start the process of a broker."""
        directories = (str(self.directory(broker, d)) for d in range(2))
        self.processes.start(
            _name(broker),
            "kafka.Kafka",
            BROKER_HEAP,
            {
                "broker.id": broker,
                "listeners": f"PLAINTEXT://{HOST}:{self.ports[broker]}",
                "log.dirs": ",".join(directories),
                "zookeeper.connect": f"{HOST}:{self.zookeeper_port}",
                **self.settings,
            },
        )

    def kill(self, broker: int) -> None:
        """End a broker's process by SIGKILL."""
        self.note("crash", broker=broker)
        self.processes.end(_name(broker), signal.SIGKILL)

    def stop(self, broker: int) -> None:
        """End a broker's process by SIGTERM; it is a crash if it does not say so."""
        log = self.folder / f"broker-{broker}.log"
        said, begun = log.read_text("utf-8", "replace").count(SHUTDOWN), _now()
        self.processes.end(_name(broker), signal.SIGTERM)
        if log.read_text("utf-8", "replace").count(SHUTDOWN) == said:
            self._write("crash", begun, broker=broker)

    def pause(self, broker: int, seconds: float) -> None:
        """Halt a process for a while: its session expires, or it is late to fetch."""
        self.processes.pause(_name(broker), seconds)

    def halt(self, broker: int) -> None:
        """Halt a process until it is to go on."""
        self.processes.halt(_name(broker))

    def go_on(self, broker: int) -> None:
        """Let a halted process go on."""
        self.processes.go_on(_name(broker))

    def is_running(self, broker: int) -> bool:
        """Tell whether a broker's process runs."""
        return self.processes.is_running(_name(broker))

    # log directories

    def directory(self, broker: int, number: int) -> Path:
        """Path of a log directory."""
        return self.data / f"logs-{broker}-{'ab'[number]}"

    def directory_of(self, broker: int, topic: int = 0) -> int:
        """Number of the directory that has a replica of a topic."""
        return next(
            number
            for number in range(2)
            if (self.directory(broker, number) / f"t{topic}-0").is_dir()
        )

    def fail_directory(self, broker: int, number: int) -> None:
        """Put a file in the place of a directory."""
        path = self.directory(broker, number)
        self.note("fail_directory", broker=broker, directory=number)
        path.rename(path.with_name(f"{path.name}.taken"))
        path.touch()

    def replace_directory(self, broker: int, number: int) -> None:
        """Put an empty directory in the place of one that failed."""
        path = self.directory(broker, number)
        self.note("replace_directory", broker=broker, directory=number)
        path.unlink()
        path.mkdir()

    # ZooKeeper

    def read(self, path: str) -> Any:
        """JSON in a znode, or None if there is no such znode."""
        try:
            data, _ = self.client.get(path)
        except kazoo.exceptions.NoNodeError:
            return None
        return json.loads(data)

    def create(self, path: str, content: object = None) -> None:
        """Create a znode."""
        self.client.create(path, b"" if content is None else _json(content))

    def delete(self, path: str) -> None:
        """Delete a znode."""
        self.client.delete(path)

    def exists(self, path: str) -> bool:
        """Tell whether there is a znode."""
        return self.client.exists(path) is not None

    def is_registered(self, broker: int) -> bool:
        """Tell whether a broker is registered."""
        return self.exists(f"/brokers/ids/{broker}")

    @property
    def controller(self) -> int | None:
        """The broker that ``/controller`` names, if any."""
        node = self.read("/controller")
        return None if node is None else int(node["brokerid"])

    def state(self, topic: int = 0) -> Any:
        """Leader and ISR of a topic's partition in ZooKeeper."""
        return self.read(f"/brokers/topics/t{topic}/partitions/0/state")

    def wait_for(self, goal: str, condition: Callable[[], bool]) -> None:
        """Wait until a condition is met.

        Raises:
            NotReached: if it is not met in time.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.05)
        raise NotReached(f"not within {PATIENCE} s: {goal}; {self.state()}")

    def wait_until_registered(self, broker: int) -> None:
        """Wait until a broker is registered."""
        self.wait_for(f"broker {broker} in", lambda: self.is_registered(broker))

    def wait_for_topic(self, topic: int) -> None:
        """Wait until the partition of a topic has a leader."""
        self.wait_for(f"topic t{topic}", lambda: self.state(topic) is not None)

    def wait_for_isr(self, leader: int, isr: Iterable[int]) -> None:
        """Wait until the partition of the first topic has this leader and ISR."""
        members = sorted(isr)

        def is_so() -> bool:
            state = self.state()
            return state["leader"] == leader and sorted(state["isr"]) == members

        self.wait_for(f"leader {leader}, ISR {members}", is_so)

    @property
    def addresses(self) -> list[str]:
        """Addresses of the brokers that run."""
        return [
            self.address(broker)
            for broker in range(self.brokers)
            if self.is_running(broker)
        ]

    def address(self, broker: int) -> str:
        """Address of a broker."""
        return f"{HOST}:{self.ports[broker]}"

    def _start_all(self) -> None:
        folder = {"dataDir": self.data / "zk", "clientPort": self.zookeeper_port}
        self.processes.start(
            "zookeeper",
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
            ZOOKEEPER_HEAP,
            {**ZOOKEEPER, **folder},
        )
        self.client.start(timeout=PATIENCE)
        for group in (range(REGULAR), range(REGULAR, self.brokers)):
            for broker in group:
                self.start_broker(broker)
            for broker in group:
                self.wait_until_registered(broker)
            self.wait_for("a controller", lambda: self.controller is not None)
        time.sleep(SETTLING)

    def _write(self, event: str, time_of_event: str, **fields: object) -> None:
        line = {"time": time_of_event, "event": event, **fields}
        with (self.folder / "operator.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")


def _name(broker: int) -> str:
    return f"broker-{broker}"


def _json(content: object) -> bytes:
    return json.dumps(content).encode()


def _now() -> str:
    """Time in UTC, in milliseconds."""
    return datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
