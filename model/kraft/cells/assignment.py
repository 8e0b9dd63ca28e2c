"""AssignReplicasToDirs: what a broker has sent, and what its answer is to do."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerEpoch, DirectoryId, TopicId


@frozen
class SentAssignment:
    """The directory of a replica in a request, and whether a move waits for it.

    ``epoch`` is the broker epoch of the request, or None if it has none.

    Source: Assignment, AssignReplicasToDirsRequest.
    """

    directory: DirectoryId
    promotes: bool
    topic_id: TopicId = TopicId(0)
    epoch: BrokerEpoch | None = BrokerEpoch(0)


@frozen
class AssignmentChannel:
    """The one request of a broker that is on its way.

    ``promotes`` says whether a move waits for the assignment that is to be sent next.
    ``answer`` is the offset that must be committed before ``sent`` is answered.

    Source: AssignmentsManager.
    """

    promotes: bool = False
    sent: SentAssignment | None = None
    answer: int | None = None

    @property
    def awaits_controller(self) -> bool:
        """Tell whether a request was sent that the controller has not handled."""
        return self.sent is not None and self.answer is None

    def is_free(self) -> bool:
        """Tell whether no request is on its way."""
        return self.sent is None

    def is_answered(self, committed: int) -> bool:
        """Tell whether the request is answered, with so much committed."""
        return self.answer is not None and self.answer <= committed

    def expect(self, promotes: bool) -> Self:
        """The channel, whose next assignment a move waits for, or none does."""
        return evolve(self, promotes=promotes)

    def send(
        self, directory: DirectoryId, topic_id: TopicId, epoch: BrokerEpoch | None
    ) -> Self:
        """The channel with what was queued on its way."""
        sent = SentAssignment(directory, self.promotes, topic_id, epoch)
        return type(self)(sent=sent)

    def reply(self, offset: int) -> Self:
        """The channel, whose request is answered once an offset is committed."""
        return evolve(self, answer=offset)

    def send_again(self) -> Self:
        """The channel, whose request goes to another controller."""
        return evolve(self, answer=None)

    def lose_thread(self) -> Self:
        """The channel, no answer of which is for a move any more."""
        sent = None if self.sent is None else evolve(self.sent, promotes=False)
        return evolve(self, promotes=False, sent=sent)

    def finish(self) -> Self:
        """The channel with nothing on its way."""
        return evolve(self, sent=None, answer=None)
