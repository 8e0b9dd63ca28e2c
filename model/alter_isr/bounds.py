"""What makes the exchange finite: its size, and how often each fault happens."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge

from replicheck.model.shared.sizes import BrokerSizes


@frozen
class AlterIsrBounds(BrokerSizes):
    """The size of an instance, and how often each fault happens at most.

    Broker 0 leads, and ``records`` are appended. The controller gives a new epoch to
    the leader ``epoch_bumps`` times, and moves ``controller_moves`` times.
    """

    brokers: int = field(default=2, validator=ge(2))
    records: int = field(default=1, validator=ge(0))
    epoch_bumps: int = field(default=0, validator=ge(0))
    controller_moves: int = field(default=0, validator=ge(0))
    lost_answers: int = field(default=0, validator=ge(0))
