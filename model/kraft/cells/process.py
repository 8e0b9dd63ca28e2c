"""A broker's process: its life, and how far it has published the metadata."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerEpoch, DirectoryId


@frozen
class BrokerProcess:
    """One process of a broker, or none.

    ``epoch`` is there once it is registered; ``published`` is the offset of the image
    that it has applied, ``start`` the least that it may apply first. A process is
    ``is_serving`` since it was unfenced for the first time: its ports are open.
    ``clean_epoch`` is what the clean-shutdown files say.

    ``directories`` could be opened at its start; ``offline`` failed since. Of these,
    ``reported`` were in the heartbeat that is not answered yet, and ``acknowledged``
    count as known to the controller. An ``assignment`` is the directory of the replica,
    as long as the metadata that the broker has applied names another.

    Source: BrokerLifecycleManager, BrokerMetadataPublisher, AssignmentsManager.
    """

    is_running: bool = True
    epoch: BrokerEpoch | None = BrokerEpoch(0)
    published: int | None = 0
    start: int = 0
    is_serving: bool = True
    is_stopping: bool = False
    clean_epoch: BrokerEpoch | None = None
    directories: frozenset[DirectoryId] = frozenset()
    offline: frozenset[DirectoryId] = frozenset()
    reported: frozenset[DirectoryId] = frozenset()
    acknowledged: frozenset[DirectoryId] = frozenset()
    assignment: DirectoryId | None = None

    @property
    def has_published(self) -> bool:
        """Tell whether the process has applied any image."""
        return self.is_running and self.published is not None

    @property
    def oldest_needed(self) -> int | None:
        """The offset of the oldest image that the process still needs, if any."""
        if not self.is_running:
            return None
        return self.start if self.published is None else self.published

    def has_applied(self, offset: int) -> bool:
        """Tell whether the process has applied the image at an offset."""
        return self.published is not None and self.published >= offset

    @property
    def has_unacknowledged(self) -> bool:
        """Tell whether a directory failed of which no answer to a heartbeat spoke."""
        return not self.offline <= self.acknowledged

    def lose_directory(self, directory: DirectoryId) -> Self:
        """The process, one of whose directories failed."""
        return evolve(self, offline=self.offline | {directory})

    @property
    def awaits_answer(self) -> bool:
        """Tell whether a heartbeat with failed directories is not answered yet."""
        return len(self.reported) > 0

    def send_heartbeat(self) -> Self:
        """The process, whose report of failed directories was handled."""
        return evolve(self, reported=self.offline)

    def acknowledge(self, directories: frozenset[DirectoryId]) -> Self:
        """The process, for which these failed directories are known to the controller.

        Source: BrokerLifecycleManager.BrokerHeartbeatResponseEvent.
        """
        return evolve(self, acknowledged=directories, reported=frozenset())

    def lose_answer(self) -> Self:
        """The process, whose report of failed directories is not answered."""
        return evolve(self, reported=frozenset())

    def assign(self, directory: DirectoryId | None) -> Self:
        """The process with the directory of the replica to be told, or nothing."""
        return evolve(self, assignment=directory)

    def begin(self, start: int, directories: frozenset[DirectoryId]) -> Self:
        """A new process, which is not registered yet."""
        return evolve(
            self,
            is_running=True,
            epoch=None,
            published=None,
            start=start,
            is_serving=False,
            is_stopping=False,
            directories=directories,
        )

    def register(self, epoch: BrokerEpoch) -> Self:
        """The process, registered; the files of a clean shutdown are deleted."""
        return evolve(self, epoch=epoch, clean_epoch=None)

    def lose_registration(self) -> Self:
        """The process, of which no registration was committed."""
        return evolve(self, epoch=None)

    def publish(self, offset: int) -> Self:
        """The process with another image applied."""
        return evolve(self, published=offset, start=0)

    def serve(self) -> Self:
        """The process with its ports open."""
        return evolve(self, is_serving=True)

    def stop_accepting(self) -> Self:
        """The process in controlled shutdown."""
        return evolve(self, is_stopping=True)

    def crash(self) -> Self:
        """No process, and no files of a clean shutdown."""
        return type(self)(
            is_running=False, epoch=None, published=None, is_serving=False
        )

    def stop(self) -> Self:
        """No process, and files of a clean shutdown."""
        return type(self)(
            is_running=False,
            epoch=None,
            published=None,
            is_serving=False,
            clean_epoch=self.epoch,
        )
