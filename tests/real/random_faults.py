"""Seeded random faults: which they are depends on the seed and on the state met."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping

from attrs import define, field
from cluster_clients import produce, reassign
from fault_scenarios import EXPIRY, ISR_NOTIFICATION, LAG, SPARE, Roles
from real_cluster import REGULAR, RealCluster

FAULTS = 6
"""Faults in a run, if they are possible in the state that it comes to."""
PAUSES = (0, 0.05, 0.5, 3)
"""Seconds before a fault."""
MOST_FAILED = 2
"""Directories of different brokers that fail."""


@define
class RandomFaults:
    """Faults of one run; at most one broker is off at a time."""

    cluster: RealCluster
    seed: int
    _draw: random.Random = field(init=False)
    _off: int | None = None
    _failed: set[int] = field(init=False, factory=set)
    _reassigned: bool = False
    _replicas: tuple[int, ...] = ()

    def __attrs_post_init__(self) -> None:
        self._draw = random.Random(self.seed)

    def happen(self) -> None:
        """Take the cluster through the faults of the seed."""
        roles = Roles.given(self.cluster, records=2)
        self._replicas = (roles.leader, roles.other, roles.controller)
        faults: Mapping[str, Callable[[int], None]] = {
            "kill": self._kill,
            "stop": self._stop,
            "expire session": self._expire_session,
            "delay": self._delay,
            "fail directory": self._fail_directory,
            "move controller": self._move_controller,
            "reassign": self._reassign,
        }
        for _ in range(FAULTS):
            time.sleep(self._draw.choice(PAUSES))
            fault = self._draw.choice(sorted(faults))
            broker = self._draw.randrange(REGULAR)
            if self._off is not None:
                self._start_again(self._off)
            else:
                faults[fault](broker)
            if self._draw.random() < 0.5:
                produce(self.cluster, 1)
        if self._off is not None:
            self._start_again(self._off)
        time.sleep(ISR_NOTIFICATION)

    def _start_again(self, broker: int) -> None:
        self.cluster.start_broker(broker)
        self.cluster.wait_until_registered(broker)
        self._off = None

    def _kill(self, broker: int) -> None:
        self.cluster.kill(broker)
        self._wait_until_gone(broker)

    def _stop(self, broker: int) -> None:
        self.cluster.stop(broker)
        self._wait_until_gone(broker)

    def _wait_until_gone(self, broker: int) -> None:
        cluster = self.cluster
        cluster.wait_for("broker gone", lambda: not cluster.is_registered(broker))
        self._off = broker

    def _expire_session(self, broker: int) -> None:
        self.cluster.pause(broker, EXPIRY)
        self.cluster.wait_until_registered(broker)

    def _delay(self, broker: int) -> None:
        self.cluster.pause(broker, LAG)

    def _fail_directory(self, broker: int) -> None:
        if broker in self._failed or len(self._failed) >= MOST_FAILED:
            return
        if broker in self._replicas:
            self.cluster.fail_directory(broker, self.cluster.directory_of(broker))
            self._failed.add(broker)

    def _move_controller(self, broker: int) -> None:
        self.cluster.delete("/controller")
        cluster = self.cluster
        cluster.wait_for("a controller", lambda: cluster.controller is not None)

    def _reassign(self, broker: int) -> None:
        if self._reassigned or broker == self._replicas[0]:
            return
        kept = tuple(other for other in self._replicas if other != broker)
        self._replicas = (*kept, SPARE)
        reassign(self.cluster, self._replicas)
        self._reassigned = True
