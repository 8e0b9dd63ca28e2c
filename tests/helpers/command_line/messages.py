"""What a command that cannot do what it is asked tells its user."""

from __future__ import annotations

from click.testing import Result


def require_message(done: Result, code: int, message: str) -> None:
    """The command ended with a code and a message on standard error, no traceback."""
    assert done.exit_code == code
    assert message in done.stderr
    assert "Traceback" not in done.output
