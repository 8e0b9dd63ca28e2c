"""How a broker whose session expired gets another one, as its process runs on.

Abstraction: what is done between the end of the old session and the start of the new
one is one step: the event that was being handled fails at its next call, all events are
dropped, and the controller resigns, if the broker was one.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.events import (
    Reelect,
    RegisterBrokerAndReelect,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import resign
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerEpoch, BrokerId


def begin_session(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker learns that its session expired, resigns, and begins another one.

    What the event queue had is lost, and so are all watches.

    Rules: C-Q-3, C-FENCE-1, N-7.
    Source: KafkaController.startup (beforeInitializingSession),
    KafkaController.processExpire, ControllerEventManager.clearAndPut.
    """
    if not cluster.processes[broker].is_running:
        return
    if not cluster.processes[broker].is_cut_off:
        return
    cluster = resign(cluster, broker)
    queue = cluster.event_queues[broker].clear()
    yield cluster.evolve(
        processes={broker: cluster.processes[broker].begin_session()},
        watches={broker: cluster.watches[broker].clear()},
        event_queues={broker: queue.append(RegisterBrokerAndReelect())},
    )


def register_again(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """The broker registers in its new session, and goes on with an election.

    It gets a new broker epoch, so controllers take it for another process.

    Rules: Z-IDS-1, Z-IDS-2, Z-WATCH-1.
    Source: KafkaController.processRegisterBrokerAndReelect.
    """
    if not cluster.event_queues[broker].head_is(RegisterBrokerAndReelect):
        return
    if not cluster.threads[broker].may_take(RegisterBrokerAndReelect):
        return
    cluster = fire_watches(cluster, ZooKeeperPath.BROKER_IDS)
    epoch = BrokerEpoch(cluster.broker_nodes[broker].epoch + 1)
    yield cluster.evolve(
        broker_nodes={broker: cluster.broker_nodes[broker].register()},
        processes={broker: cluster.processes[broker].register(epoch)},
        event_queues={broker: cluster.event_queues[broker].become(Reelect())},
    )
