"""The local server of ``replicheck explore``: only loopback, and only its own page.

A page of another site must not read or drive it. So a request that names another host
(as one does whose name was made to point here) or comes from another origin is refused,
and a question is JSON, which no form of another site can send unasked.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable
from typing import Any

from attrs import frozen
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    HTTPException,
    UnsupportedMediaType,
)
from werkzeug.routing import Map, Rule
from werkzeug.serving import BaseWSGIServer
from werkzeug.wrappers import Request, Response

from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.bounded_server import BoundedServer, QuietHandler
from replicheck.cli.state_browser.questions import BadQuestion, read_text, read_walk
from replicheck.explorer.errors import message_of
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.traces.html.page import PACKAGE as RUN_PACKAGE
from replicheck.traces.html.page import bounds_line, files_of, page
from replicheck.traces.json_lines import TraceError
from replicheck.traces.printable_text import printable

LOOPBACK = "127.0.0.1"
PACKAGE = "replicheck.cli.state_browser"
MOST_BYTES = 16 * 2**20
"""The largest question: a saved trace is far smaller."""

ROUTES = Map(
    [
        Rule("/", endpoint="page", methods=["GET"]),
        Rule("/walk", endpoint="walk", methods=["POST"]),
        Rule("/search", endpoint="search", methods=["POST"]),
        Rule("/open", endpoint="open", methods=["POST"]),
        Rule("/trace", endpoint="trace", methods=["POST"]),
    ]
)


@frozen
class Application:
    """The WSGI application: a page, and answers to its questions.

    ``steps`` are those of the run with which the page begins.
    """

    api: BrowserApi
    steps: tuple[str, ...] = ()

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request."""
        request = Request(environ)
        request.max_content_length = MOST_BYTES
        return self._response(request)(environ, start_response)

    def _response(self, request: Request) -> Response | HTTPException:
        try:
            require_same_origin(request)
            endpoint, _ = ROUTES.bind_to_environ(request.environ).match()
            return (
                self._page() if endpoint == "page" else self._answer(endpoint, request)
            )
        except HTTPException as error:
            return error

    def _page(self) -> Response:
        files = {**files_of(RUN_PACKAGE), **files_of(PACKAGE)}
        scenario = self.api.task.scenario
        text = page(
            "explore.html",
            files,
            title=f"{scenario.name}, {scenario.protocol}",
            bounds=bounds_line(scenario.bounds),
            steps=self.steps,
        )
        return Response(text, mimetype="text/html", headers={"X-Frame-Options": "DENY"})

    def _answer(self, endpoint: str, request: Request) -> Response:
        if not request.is_json:
            raise UnsupportedMediaType("a question is JSON")
        try:
            return self._response_to(endpoint, request.get_data())
        except HTTPException:
            raise
        except (CannotTake, TraceError) as error:
            return _text(printable(str(error)), 422)
        except BadQuestion as error:
            return _text(printable(str(error)), 400)
        except OSError as error:
            raise BadRequest("the request was torn") from error
        except Exception as error:  # A function of the model can raise anything.
            return _text(printable(message_of(error)), 422)

    def _response_to(self, endpoint: str, content: bytes) -> Response:
        if endpoint == "open":
            found = self.api.opened(read_text(content))
            return Response(json.dumps(found), mimetype="application/json")
        question = read_walk(content)
        if endpoint == "trace":
            text = self.api.trace(question.steps)
            return Response(text, mimetype="application/jsonl")
        if endpoint == "search":
            found = self.api.search(question.steps)
            return Response(json.dumps(found), mimetype="application/json")
        found = self.api.walk(question.steps, question.at)
        return Response(json.dumps(found), mimetype="application/json")


def require_same_origin(request: Request) -> None:
    """Refuse a request to another host or from another origin.

    Raises:
        Forbidden: if it is one.
    """
    port = request.environ["SERVER_PORT"]
    suffix = "" if port == "80" else f":{port}"
    hosts = [name + suffix for name in (LOOPBACK, "localhost")]
    if request.host not in hosts:
        raise Forbidden(f"this is {hosts[0]}, not {request.host}")
    origin = request.headers.get("Origin")
    if origin is not None and origin not in [f"http://{host}" for host in hosts]:
        raise Forbidden("only the page from here may ask")


def serve(application: Application, port: int) -> BaseWSGIServer:
    """A server that listens on loopback; 0 is any free port.

    Raises:
        OSError: if the port is taken.
    """
    with socket.create_server((LOOPBACK, port)) as listening:
        return BoundedServer(
            LOOPBACK, port, application, QuietHandler, fd=listening.fileno()
        )


def _text(text: str, status: int) -> Response:
    return Response(text, status=status, mimetype="text/plain")
