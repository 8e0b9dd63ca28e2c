"""What the controller's thread has left to do of the event being handled.

Kafka handles an event in one go, with blocking calls to ZooKeeper in it. Here what is
left of it is a list of tasks, each of which makes at most one such call; so whatever
happens elsewhere can happen between two calls.
"""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.controller.events import (
    ControlledShutdown,
    LeaderAndIsrResponseReceived,
    ReplicaLeaderElection,
)
from replicheck.model.cluster.cells.controller.tasks import (
    AnnounceBrokers,
    OnBrokerFailure,
    OnBrokerStartup,
    StartPartitionStateMachine,
    StartReplicaStateMachine,
    StopReplicas,
    Task,
)

WITHOUT_ZOOKEEPER: frozenset[type] = frozenset(
    {
        LeaderAndIsrResponseReceived,
        ReplicaLeaderElection,
        ControlledShutdown,
        StartReplicaStateMachine,
        StartPartitionStateMachine,
        OnBrokerStartup,
        OnBrokerFailure,
        StopReplicas,
        AnnounceBrokers,
    }
)
"""The events and tasks that ask nothing of ZooKeeper in the step that they are."""


@frozen
class Thread:
    """The one thread that handles events: what is left to do of the current one.

    While the broker has no session, the thread is cut off: a task or an event that asks
    ZooKeeper waits, and only what needs memory and channels alone goes on. A request to
    shut down ``catches_errors``: they end the request, and nothing else.

    Rules: C-Q-1, C-CSD-1, N-7.  Source: ControllerEventManager.ControllerEventThread;
    KafkaController.processControlledShutdown; ZooKeeperClient.waitUntilConnected.
    """

    tasks: tuple[Task, ...] = ()
    is_cut_off: bool = False
    catches_errors: bool = False

    def is_idle(self) -> bool:
        """Tell whether no event is being handled."""
        return not self.tasks

    def may_take(self, kind: type) -> bool:
        """Tell whether the thread can take an event of a kind."""
        return self.is_idle() and (not self.is_cut_off or kind in WITHOUT_ZOOKEEPER)

    def is_at(self, kind: type) -> bool:
        """Tell whether the next task is of a kind, and can be done."""
        if not self.tasks or not isinstance(self.tasks[0], kind):
            return False
        return not self.is_cut_off or kind in WITHOUT_ZOOKEEPER

    def has(self, kind: type) -> bool:
        """Tell whether a task of a kind is left."""
        return any(isinstance(task, kind) for task in self.tasks)

    @property
    def task(self) -> Task:
        """The next task; there must be one."""
        return self.tasks[0]

    def begin(self, tasks: tuple[Task, ...]) -> Self:
        """Put tasks at the end; an event begins with them."""
        return evolve(self, tasks=self.tasks + tasks)

    def begin_request(self, tasks: tuple[Task, ...]) -> Self:
        """Begin with a request of which an error is the answer."""
        return evolve(self.begin(tasks), catches_errors=bool(tasks))

    def finish(self, then: tuple[Task, ...]) -> Self:
        """Replace the next task by what follows from it."""
        left = then + self.tasks[1:]
        catches_errors = self.catches_errors and bool(left)
        return evolve(self, tasks=left, catches_errors=catches_errors)

    def fail(self) -> Self:
        """Drop the tasks that are left of the event."""
        return evolve(self, tasks=(), catches_errors=False)

    def clear(self) -> Self:
        """Drop everything, as a controller does that resigns."""
        return type(self)()

    def lose_session(self) -> Self:
        """Get no more answers from ZooKeeper."""
        return evolve(self, is_cut_off=True)
