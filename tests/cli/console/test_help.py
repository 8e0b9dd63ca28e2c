"""Help is printed as it was written, also where a command lacks its name."""

from __future__ import annotations

import pytest

from command_line.own_models import run


@pytest.mark.parametrize("group", [(), ("trace",)])
def test_a_group_without_a_command_prints_its_help(group: tuple[str, ...]) -> None:
    """Line by line, as with --help."""
    told = run(*group)
    shown = run(*group, "--help")
    assert shown.exit_code == 0
    assert (told.stdout + told.stderr).strip() == shown.stdout.strip()
    assert len(shown.stdout.splitlines()) > 5
