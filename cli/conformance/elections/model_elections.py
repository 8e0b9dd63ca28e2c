"""What the model `cluster` elects: its own step in the state that a question is."""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from replicheck.cli.conformance.elections.election_questions import ElectionQuestion
from replicheck.cli.tasks.called_actions import called_as
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.state_machines import LEGAL_BEFORE
from replicheck.model.cluster.cells.controller.tasks import (
    ReadForElection,
    WriteElection,
)
from replicheck.model.cluster.cells.controller.thread import Thread
from replicheck.model.cluster.cells.zookeeper.topics import Assignment
from replicheck.model.cluster.state import Cluster, with_topic
from replicheck.model.protocol import Action, Protocol
from replicheck.model.shared.partition_node import LeaderAndIsr, PartitionNode
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId

READ = "read_for_election"
"""The action that reads leader and ISR, and chooses who is to lead."""
PARTITION = PartitionId(0)
EPOCH = Epoch(5)
VERSION = 7
Answer = dict[str, Any] | None
"""Leader, epoch, ISR, version and who is told; None if no replica can lead."""


@frozen
class ModelElections:
    """Elections by the action of a protocol, be it a mutant's."""

    base: Cluster
    controller: BrokerId
    action: Action

    @classmethod
    def of(cls, protocol: Protocol, brokers: int) -> ModelElections:
        """Elections of a protocol of `cluster` with so many brokers."""
        names = called_as(protocol)
        (action,) = (a for a in protocol.actions if names[a.__name__] == READ)
        base = with_topic(Bounds(brokers=brokers))
        return cls(base, base.bounds.assignment[-1], action)

    def answer(self, asked: ElectionQuestion) -> Answer:
        """Leader and ISR that the controller would write, and brokers it would tell."""
        first = LeaderAndIsr(
            asked.assignment[0],
            EPOCH,
            asked.isr,
            self.base.bounds.first_controller_epoch,
            VERSION,
        )
        reading = ReadForElection(PARTITION, is_last=True, strategy=asked.strategy)
        before = self.base.evolve(
            contexts={self.controller: self._context(asked)},
            threads={self.controller: Thread((reading,))},
            partition_nodes={PARTITION: PartitionNode(first)},
        )
        (after,) = self.action(before, self.controller)
        tasks = after.threads[self.controller].tasks
        if not tasks or not isinstance(tasks[0], WriteElection):
            return None
        content = tasks[0].content
        return {
            "leader": content.leader,
            "epoch": content.epoch,
            "isr": sorted(content.isr),
            "told": list(tasks[0].told),
        }

    def _context(self, asked: ElectionQuestion) -> ControllerContext:
        known = self.base.contexts[self.controller]
        live = tuple(
            known.live[broker] if broker in asked.live else None
            for broker in known.broker_ids
        )
        known = evolve(known, live=live, shutting_down=frozenset(asked.shutting_down))
        for broker in asked.on_offline_dirs:
            known = known.mark_offline(broker, PARTITION)
        return known.assign(
            PARTITION, Assignment(asked.assignment, removing=asked.removing)
        )


def states_before() -> dict[str, list[str]]:
    """For each state of a replica, by Kafka's name, the states before it."""
    return {
        state.value: sorted(before.value for before in found)
        for state, found in LEGAL_BEFORE.items()
    }
