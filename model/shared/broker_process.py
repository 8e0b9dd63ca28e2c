"""The process of a broker."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerEpoch, ControllerEpoch


@frozen
class Process:
    """A broker's process: whether it runs, its epoch, and the controller's.

    A process whose session expired runs on, cut off from ZooKeeper.

    Rules: B-START-5.  Source: KafkaServer, ReplicaManager.controllerEpoch.
    """

    is_running: bool = False
    epoch: BrokerEpoch = BrokerEpoch(0)
    controller_epoch: ControllerEpoch = ControllerEpoch(0)
    is_shutting_down: bool = False
    is_cut_off: bool = False

    def has_epoch_above(self, epoch: BrokerEpoch) -> bool:
        """Tell whether a broker epoch is that of a process before."""
        return epoch < self.epoch

    def knows_controller_above(self, epoch: ControllerEpoch) -> bool:
        """Tell whether a controller is deposed, as far as the broker knows."""
        return epoch < self.controller_epoch

    def start(self, epoch: BrokerEpoch) -> Self:
        """Start, registered under a broker epoch."""
        return type(self)(is_running=True, epoch=epoch)

    def stop(self) -> Self:
        """End; memory is lost."""
        return type(self)()

    def lose_session(self) -> Self:
        """Run on; what is asked of ZooKeeper gets no answer."""
        return evolve(self, is_cut_off=True)

    def begin_session(self) -> Self:
        """Be connected again; the broker is not registered yet."""
        return evolve(self, is_cut_off=False)

    def register(self, epoch: BrokerEpoch) -> Self:
        """Go on under another broker epoch."""
        return evolve(self, epoch=epoch)

    def begin_shutdown(self) -> Self:
        """Begin to stop; no fetcher is started from now on."""
        return evolve(self, is_shutting_down=True)

    def see_controller(self, epoch: ControllerEpoch) -> Self:
        """Remember the epoch of a controller that was obeyed."""
        return evolve(self, controller_epoch=epoch)
