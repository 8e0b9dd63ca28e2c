"""What makes the abstract partition finite."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge

from replicheck.model.shared.sizes import BrokerSizes
from replicheck.model.vocabulary import Epoch, RecordId


@frozen
class ReplicationBounds(BrokerSizes):
    """The size of an instance.

    ``log_size`` is the number of records that a log can hold, ``records`` the number
    that producers ever send, and ``max_leader_epoch`` the last epoch; the first is 0.
    """

    brokers: int = field(default=3, validator=ge(1))
    log_size: int = field(default=2, validator=ge(1))
    records: int = field(default=2, validator=ge(1))
    max_leader_epoch: int = field(default=2, validator=ge(0))

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        """The leader epochs that the controller can give."""
        return tuple(Epoch(epoch) for epoch in range(self.max_leader_epoch + 1))

    @property
    def record_ids(self) -> tuple[RecordId, ...]:
        """The ids of all records that producers can send."""
        return tuple(RecordId(record) for record in range(self.records))
