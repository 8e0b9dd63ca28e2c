"""What fair runs of the fetchers do in the end: rounds and retries that stop."""

from __future__ import annotations

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import EpochAnswer, Error, FetchAnswer
from replicheck.model.fetching.state import Brokers
from replicheck.model.modelling.run_claims import RunClaim
from replicheck.model.vocabulary import BrokerId, PartitionId


def no_truncation_round_is_answered(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """No answer says where an epoch ends: rounds of truncation are over.

    Does not hold in Kafka 2.5.1, where a round that changes nothing asks the same again
    (K-8, KAFKA-10706).
    """
    answer = cluster.calls[follower][leader][fetcher][partition].answer
    return not isinstance(answer, EpochAnswer) or answer.error is not Error.NONE


def no_fetch_is_out_of_range(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """No answer says that an offset is out of range: fetches find one that is.

    Does not hold in Kafka 3.5.0 after a move to another directory (KAFKA-15608), nor
    where the follower's own directory fails and is not handled.
    """
    answer = cluster.calls[follower][leader][fetcher][partition].answer
    if not isinstance(answer, FetchAnswer):
        return True
    return answer.error is not Error.OFFSET_OUT_OF_RANGE


RUN_CLAIMS = (
    RunClaim(no_truncation_round_is_answered),
    RunClaim(no_fetch_is_out_of_range),
)
