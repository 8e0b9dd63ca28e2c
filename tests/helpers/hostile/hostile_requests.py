"""Hostile requests to the server of the state browser, and what it says to them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from hypothesis import strategies as st

from hostile.attacks import MOST_SECONDS
from hostile.hostile_values import damaged, with_hostile_value
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.server import LOOPBACK, Application, serve
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue

REQUEST_LINES = (
    b"POST /walk HTTP/1.1",
    b"POST /open HTTP/1.1",
    b"POST /trace HTTP/1.0",
    b"GET / HTTP/1.1",
    b"GET http://[::1/ HTTP/1.1",
    b"GET /\xff\xfe%00%zz HTTP/1.1",
    b"PUT /walk",
    b"\x00\x01\x02",
    b"GET " + b"/" * 70_000 + b" HTTP/1.1",
)
QUESTION = {"steps": ["elect_leader(leader=1)"], "at": 0, "text": "x"}
HEADERS = (
    b"Content-Type: application/json",
    b"Content-Type: text/plain",
    b"Content-Length: -1",
    b"Content-Length: x",
    b"Content-Length: 99999999999",
    b"Transfer-Encoding: chunked",
    b"Host: evil.example",
    b"Host: [",
    b"Origin: null",
    b"no header",
)


@st.composite
def hostile_requests(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Head of a request without its host, and a body."""
    body = json.dumps(draw(with_hostile_value(QUESTION))).encode()
    if draw(st.integers(0, 3)) == 0:
        body = damaged(draw, body)
    if draw(st.integers(0, 9)) == 0:
        body = b"[" * 100_000
    lines = [draw(st.sampled_from(REQUEST_LINES[:3] * 4 + REQUEST_LINES))]
    if draw(st.integers(0, 3)):
        lines.append(HEADERS[0])
    if draw(st.integers(0, 3)):
        lines.append(b"Content-Length: %d" % len(body))
    lines += draw(st.lists(st.sampled_from(HEADERS), max_size=1))
    return b"\r\n".join(lines), body


@contextmanager
def running_server() -> Iterator[int]:
    """Server of a small scenario; its port."""
    (task,) = tasks(Catalogue.shipped(), ("replication",), Overrides("naive"))
    server = serve(Application(BrowserApi.of(task)), 0)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status_of(port: int, head: bytes, body: bytes) -> int | None:
    """Status with which a request is answered; None if the connection is closed."""
    host = b"\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
    with socket.create_connection((LOOPBACK, port), MOST_SECONDS) as connection:
        try:
            connection.sendall(head + host + body)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(65_536)
        except OSError:
            return None
    return int(answer.split()[1]) if answer.startswith(b"HTTP/") else None
