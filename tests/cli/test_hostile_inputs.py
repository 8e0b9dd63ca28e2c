"""The fuzzing suite: no input of any kind gives a traceback or an unknown exit code.

``HYPOTHESIS_PROFILE=nightly`` tries twenty times as many; ``bench/attack.py``
as many as one likes, and counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostile.attacks import Attack, problem_with
from hostile.hostile_requests import hostile_requests, running_server, status_of
from hostile.kinds import KINDS
from slow import by_night

STATUSES = (200, 400, 403, 404, 405, 408, 413, 414, 415, 422, 431, 501, 505)
"""With which a request may be answered; 500 is none of them."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Port of a server of a small scenario."""
    with running_server() as found:
        yield found


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=by_night if kind == "conformance" else ())
        for kind in KINDS
    ],
)
def test_no_input_is_too_hostile(kind: str) -> None:
    """Each input of a kind ends as documented, and is told in printable words."""

    @given(KINDS[kind]())
    @settings(suppress_health_check=list(HealthCheck))
    def survives(attack: Attack) -> None:
        assert problem_with(attack) == ""

    survives()


@given(st.data())
@settings(suppress_health_check=list(HealthCheck))
def test_no_request_is_too_hostile(port: int, data: st.DataObject) -> None:
    """Each request gets a status that says whose fault it is, or no answer at all."""
    head, body = data.draw(hostile_requests())
    assert status_of(port, head, body) in (*STATUSES, None)
