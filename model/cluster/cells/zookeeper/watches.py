"""The watches that a broker's session has set in ZooKeeper."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.vocabulary import PartitionId


@frozen
class Watches:
    """The one-shot watches of one broker's session.

    A path is armed by a read; a change makes it fired, once; a fired watch waits for
    its delivery to the broker's event queue. ``armed_states`` and ``fired_states`` are
    those of the states of partitions.

    Rules: Z-WATCH-1.  Source: ZooKeeperClient.shouldWatch.
    """

    armed: frozenset[ZooKeeperPath] = frozenset()
    fired: frozenset[ZooKeeperPath] = frozenset()
    watched_states: frozenset[PartitionId] = frozenset()
    armed_states: frozenset[PartitionId] = frozenset()
    fired_states: frozenset[PartitionId] = frozenset()

    def none_has_fired(self) -> bool:
        """Tell whether no watch waits for its delivery."""
        return not self.fired and not self.fired_states

    def has_fired(self, path: ZooKeeperPath) -> bool:
        """Tell whether a watch waits for its delivery."""
        return path in self.fired

    def arm(self, path: ZooKeeperPath) -> Self:
        """Set a watch."""
        return evolve(self, armed=self.armed | {path})

    def fire(self, path: ZooKeeperPath) -> Self:
        """Fire the watch of a path that changes, if it is armed."""
        if path not in self.armed:
            return self
        return evolve(self, armed=self.armed - {path}, fired=self.fired | {path})

    def deliver(self, path: ZooKeeperPath) -> Self:
        """Hand a fired watch over."""
        return evolve(self, fired=self.fired - {path})

    def keep_only(self, path: ZooKeeperPath) -> Self:
        """Drop all watches but the watches of one path."""
        return type(self)(armed=self.armed & {path}, fired=self.fired & {path})

    def clear(self) -> Self:
        """Drop all watches, as the end of the process does."""
        return type(self)()

    def has_fired_state(self, partition: PartitionId) -> bool:
        """Tell whether a watch of a partition's state waits for its delivery."""
        return partition in self.fired_states

    def register_state(self, partition: PartitionId) -> Self:
        """Have a handler, so that every read of a partition's state sets a watch."""
        return evolve(self, watched_states=self.watched_states | {partition})

    def read_state(self, partition: PartitionId) -> Self:
        """Set a watch of a partition's state that is read, if it has a handler."""
        if partition not in self.watched_states:
            return self
        return evolve(self, armed_states=self.armed_states | {partition})

    def unregister_state(self, partition: PartitionId) -> Self:
        """Drop the handler of a partition's state; a watch that has fired stays."""
        return evolve(
            self,
            watched_states=self.watched_states - {partition},
            armed_states=self.armed_states - {partition},
        )

    def fire_state(self, partition: PartitionId) -> Self:
        """Fire the watch of a partition's state, if it is armed."""
        if partition not in self.armed_states:
            return self
        return evolve(
            self,
            armed_states=self.armed_states - {partition},
            fired_states=self.fired_states | {partition},
        )

    def deliver_state(self, partition: PartitionId) -> Self:
        """Hand a fired watch of a partition's state over."""
        return evolve(self, fired_states=self.fired_states - {partition})
