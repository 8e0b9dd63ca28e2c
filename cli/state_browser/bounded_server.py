"""A loopback server that bounds connections, threads and time.

A connection has one request and a thread of its own. What comes when all threads are
taken is refused; a connection that takes too long is closed.
"""

from __future__ import annotations

import socket
from threading import BoundedSemaphore, Timer
from typing import Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

MOST_CONNECTIONS = 16
"""At once; a browser opens six."""
IDLE_SECONDS = 10.0
"""So long the client may be silent."""
MOST_SECONDS = 120.0
"""So long a connection may take in all."""


class BoundedServer(ThreadedWSGIServer):
    """Serves at most `MOST_CONNECTIONS` at once, each in a thread."""

    daemon_threads = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._free = BoundedSemaphore(MOST_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin with a connection if there is a free thread, else close it."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, for so long as it may take."""
        end = Timer(MOST_SECONDS, _close, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a connection that breaks is no matter of the user."""

    def log(self, type: str, message: str, *_arguments: object) -> None:
        """Print nothing: so it is where a client falls silent within a request."""


class QuietHandler(WSGIRequestHandler):
    """Logs no request, and answers one that is no HTTP with 400."""

    timeout = IDLE_SECONDS

    def run_wsgi(self) -> None:
        """Answer a request; one whose address cannot be read is a bad one."""
        try:
            super().run_wsgi()
        except (ValueError, UnicodeError):
            self.send_error(400)

    def log(self, type: str, message: str, *_args: object) -> None:
        """Print nothing."""


def _close(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It ended in the meantime.
        return
