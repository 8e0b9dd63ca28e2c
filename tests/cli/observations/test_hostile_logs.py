"""Logs that are torn, or hold what no log does, end with the place and exit 151."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkout import OBSERVATIONS
from replicheck.cli.main import main
from replicheck.cli.observations.extraction import broker_log

BROKER, ZOOKEEPER = "broker-0.log.gz", "zookeeper.jsonl"
OPERATOR = "operator.jsonl"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A copy of the logs of a cluster."""
    folder = tmp_path / "logs"
    shutil.copytree(OBSERVATIONS / "logs" / "leaders_directory", folder)
    return folder


def observed(folder: Path) -> Result:
    """Result of ``replicheck observe``."""
    return CliRunner().invoke(main, ["observe", "kafka-2.5.1", str(folder)])


def refusal(folder: Path) -> str:
    """Message with which logs are refused."""
    result = observed(folder)
    assert result.exit_code == 151
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    return result.stderr


def damage(path: Path) -> None:
    """Change bytes within what is compressed."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 40] = b"\xff" * 40
    path.write_bytes(content)


def cut(path: Path) -> None:
    """Take the second half away."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def replace_by_text(path: Path) -> None:
    """Write what is not compressed."""
    path.write_bytes(b"no gzip")


def replace_by_pipe(path: Path) -> None:
    """Put a pipe in its place, to which nothing is ever written."""
    path.unlink()
    os.mkfifo(path)


def replace_by_folder(path: Path) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change", [damage, cut, replace_by_text, replace_by_pipe, replace_by_folder]
)
def test_a_brokers_log_that_cannot_be_read(
    logs: Path, change: Callable[[Path], None]
) -> None:
    """The message names the file."""
    change(logs / BROKER)
    assert f"{logs / BROKER}: " in refusal(logs)


@pytest.mark.parametrize("name", [ZOOKEEPER, OPERATOR])
@pytest.mark.parametrize("change", [replace_by_pipe, replace_by_folder])
def test_another_log_that_cannot_be_read(
    logs: Path, name: str, change: Callable[[Path], None]
) -> None:
    """No pipe is waited for."""
    change(logs / name)
    assert f"{logs / name}: cannot be read: " in refusal(logs)


@pytest.mark.parametrize("name", [ZOOKEEPER, OPERATOR])
@pytest.mark.parametrize(
    "line",
    ["[" * 3_000, "9" * 5_000, "[]", "1", '"x"', "{}", "NaN", '{"t": 1}', "\x00"],
)
def test_a_line_that_is_no_event(logs: Path, name: str, line: str) -> None:
    """The message names the file and the line."""
    path = logs / name
    path.write_text(f"{line}\n{path.read_text('utf-8')}")
    assert f"{path}:1: " in refusal(logs)


@pytest.mark.parametrize("key", ["zxid", "session", "cxid", "t", "op"])
@pytest.mark.parametrize("value", [None, [], {}, "x", 1e999, "\x1b[31m"])
def test_a_transaction_with_another_type(logs: Path, key: str, value: object) -> None:
    """It is refused, or says nothing of the cluster."""
    path = logs / ZOOKEEPER
    first, *others = path.read_text("utf-8").splitlines()
    changed = json.dumps({**json.loads(first), key: value})
    path.write_text("\n".join([changed, *others]))
    result = observed(logs)
    assert result.exit_code in (0, 151)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "\x1b" not in result.output


def test_a_topic_without_an_assignment(logs: Path) -> None:
    """The message names the transaction."""
    path = logs / ZOOKEEPER
    text = path.read_text("utf-8").replace('"partitions"', '"parts"')
    path.write_text(text)
    assert "zxid 0x" in refusal(logs)


def brokers_lines(logs: Path) -> list[str]:
    """Lines of a broker's log."""
    return gzip.decompress((logs / BROKER).read_bytes()).decode().splitlines()


def write_lines(logs: Path, lines: list[str]) -> None:
    """Write the lines of a broker's log."""
    (logs / BROKER).write_bytes(gzip.compress("\n".join(lines).encode()))


def test_a_request_that_is_torn(logs: Path) -> None:
    """The message names the line: what it showed is not left out in silence."""
    lines = brokers_lines(logs)
    wanted = "Completed request:RequestHeader(apiKey=LEADER_AND_ISR"
    number = next(n for n, line in enumerate(lines) if wanted in line)
    lines[number] = lines[number].replace("controller_id", "controller_\x1b")
    write_lines(logs, lines)
    said = refusal(logs)
    assert f"{BROKER}:{number + 1}: is torn, or has another form" in said
    assert "\x1b" not in said


def test_a_time_that_does_not_exist(logs: Path) -> None:
    """It is a line of another form, as those of a stack trace are."""
    assert "6 are of another form" in observed(logs).stderr
    lines = brokers_lines(logs)
    lines[0] = lines[0].replace("2026-11-22", "2026-99-99")
    write_lines(logs, lines)
    result = observed(logs)
    assert result.exit_code == 0
    assert "7 are of another form" in result.stderr


def test_a_line_without_end(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of it is read than a line may have."""
    monkeypatch.setattr(broker_log, "MOST_CHARACTERS", 4_000)
    write_lines(logs, ["x" * 5_000])
    assert f"{logs / BROKER}:1: has 4,000 characters or more" in refusal(logs)
