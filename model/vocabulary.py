"""The words that all of the model shares."""

from __future__ import annotations

from typing import NewType

BrokerId = NewType("BrokerId", int)
DirectoryId = NewType("DirectoryId", int)
PartitionId = NewType("PartitionId", int)
ReplicaId = tuple[BrokerId, PartitionId]
"""A broker's replica of a partition."""
Epoch = NewType("Epoch", int)
"""The epoch of a partition's leader."""
BrokerEpoch = NewType("BrokerEpoch", int)
"""One for each registration of a broker in ZooKeeper."""
TopicId = NewType("TopicId", int)
"""One for each topic that has or had the name."""
ControllerEpoch = NewType("ControllerEpoch", int)
Offset = NewType("Offset", int)
RecordId = NewType("RecordId", int)


def is_newer(epoch: Epoch, than: Epoch | None) -> bool:
    """Tell whether an epoch is newer than another; any is newer than none."""
    return than is None or epoch > than
