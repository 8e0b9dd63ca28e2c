"""The installed command, where standard output and error cannot all be written."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from command_line.own_models import EXAMPLES
from replicheck.cli.console.streams import Sink, text_of

COMMAND = [sys.executable, "-m", "replicheck.cli"]
SAYS_AT_ONCE = """
from replicheck.cli.console import start_notice
start_notice.PATIENCE = 0
from replicheck.cli.program import main
main()
"""
"""The command, which names each search although it takes no time."""
CHECK = ["check", "replication", "--engine", "naive", "--protocol", "kip-101"]
SMALL = ["--bounds", "brokers=2", "--json", "report.json"]

needs_a_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no device that is always full"
)


def redirected(
    arguments: Sequence[str], redirection: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run the command with a redirection of the shell."""
    return subprocess.run(
        ["sh", "-c", f'"$0" "$@" {redirection}', *COMMAND, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_reader_that_has_enough_ends_the_output_only(tmp_path: Path) -> None:
    """The report is written, and the exit code is that of what was found."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [*COMMAND, *CHECK, *SMALL],
            cwd=tmp_path,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 12
    assert "Error" not in done.stderr
    assert (tmp_path / "report.json").exists()


@needs_a_full_device
@pytest.mark.parametrize(("protocol", "code"), [("kip-101", 12), ("kip-320", 2)])
def test_a_full_disk_is_an_error_with_a_message(
    protocol: str, code: int, tmp_path: Path
) -> None:
    """Reports are written all the same, and a violation keeps its code."""
    words = [*CHECK[:-1], protocol, *SMALL]
    done = redirected(words, "> /dev/full", tmp_path)
    assert done.returncode == code
    assert done.stderr.endswith(
        "Error: standard output cannot be written: No space left on device\n"
    )
    assert (tmp_path / "report.json").exists()


@needs_a_full_device
def test_messages_that_cannot_be_written_change_nothing(tmp_path: Path) -> None:
    """What is found goes to standard output all the same."""
    done = redirected([*CHECK, *SMALL], "2> /dev/full", tmp_path)
    assert done.returncode == 12
    assert "VIOLATED" in done.stdout


def test_closed_streams(tmp_path: Path) -> None:
    """Output that cannot be written is an error."""
    done = redirected(["bugs", "--json", "-"], ">&-", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "Error: standard output cannot be written: it is closed\n"


@pytest.mark.parametrize(
    "done_first",
    [
        "sys.stdout.close()",
        "sys.stderr.close()",
        "sys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'utf-8')",
    ],
)
def test_a_model_closes_no_stream_of_the_command(
    done_first: str, tmp_path: Path
) -> None:
    """What is found is printed, and errors have their message."""
    example = (EXAMPLES / "two_phase.py").read_text("utf-8")
    text = example.replace(
        "from enum", f"import io\nimport sys\n{done_first}\nfrom enum"
    )
    (tmp_path / "closing.py").write_text(text, "utf-8")
    done = redirected(["check", "closing.py", "--engine", "naive"], "", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "holds: visited all 74 states" in done.stdout
    wrong = redirected(["check", "closing.py", "--bounds", "x=1"], "", tmp_path)
    assert wrong.returncode == 151
    assert "there is no such bound" in wrong.stderr


def test_what_an_encoding_does_not_have_is_escaped() -> None:
    """A terminal that knows ASCII only gets everything else as its number."""
    written = io.BytesIO()
    before = io.TextIOWrapper(written, "ascii")
    after = text_of(Sink(before), before)
    after.write("is_led_by(…)")
    after.flush()
    assert written.getvalue() == rb"is_led_by(\u2026)"


def test_ctrl_c_between_two_mutants_ends_all(tmp_path: Path) -> None:
    """No engine takes it for the end of its own search only."""
    with subprocess.Popen(
        [sys.executable, "-c", SAYS_AT_ONCE, "mutants"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=-1,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("[2/"):
                break
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate()
    assert process.returncode == 77
    assert messages.endswith("Error: interrupted\n")
    assert messages.count("[") <= 2
