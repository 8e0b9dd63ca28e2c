"""Notices of what takes long."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer

PATIENCE = 3.0
"""Seconds after which a notice is printed of what takes long."""


class StartNotice:
    """A notice that is printed, once started, if it is not cancelled in time."""

    def __init__(self, notice: Callable[[], None], patience: float) -> None:
        """Have it printed by ``notice``, in another thread, after so many seconds."""
        self._timer = Timer(patience, notice)
        self._timer.daemon = True

    def start(self) -> None:
        """Print it in a while; Ctrl-C may end this call, and leave the thread."""
        self._timer.start()

    def cancel(self) -> None:
        """Print nothing from now on; a notice that has begun is printed whole."""
        self._timer.cancel()
        if self._timer.is_alive():
            self._timer.join()
