"""Logs of real clusters become the observations that are kept beside them."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkout import OBSERVATIONS
from replicheck.cli.main import main
from replicheck.cli.observations.extraction.kafka_values import parse_value
from replicheck.cli.observations.extraction.zookeeper_log import (
    ZooKeeperLogError,
    read_transactions,
)
from replicheck.cli.observations.observation_file import load

LOGS = OBSERVATIONS / "logs"
DETAILED = re.compile(r"\S+ (?:DEBUG|TRACE) ")
VERSIONS = {
    "leaders_directory": "kafka-2.5.1",
    "kafka-3.9.1-leaders_directory": "kafka-3.9",
}


def observed(version: str, folder: Path) -> Result:
    """Result of ``replicheck observe``."""
    return CliRunner().invoke(main, ["observe", version, str(folder)])


def test_logs_become_observations() -> None:
    """The observations that were checked in are those of the logs."""
    result = observed("kafka-2.5.1", LOGS / "leaders_directory")
    assert result.exit_code == 0
    path = OBSERVATIONS / "runs" / "leaders_directory-all-kinds.jsonl"
    assert result.stdout == path.read_text("utf-8")


@pytest.mark.parametrize(("name", "version"), VERSIONS.items())
def test_a_file_without_some_kinds(name: str, version: str, tmp_path: Path) -> None:
    """It has what the logs say of all kinds but those that its header names."""
    path = OBSERVATIONS / "runs" / f"{name}.jsonl"
    kept, everything = load(path), tmp_path / "all.jsonl"
    everything.write_text(observed(version, LOGS / name).stdout)
    left = [
        seen
        for seen in load(everything).observations
        if seen.kind not in kept.header.unobserved
        and seen.label.get("event") not in kept.header.unobserved
    ]
    assert tuple(left) == kept.observations


@pytest.mark.parametrize("failed", [0, 3])
def test_requests_that_may_be_there_twice_are_counted(
    tmp_path: Path, failed: int
) -> None:
    """A controller warns of each that it sends once more, or gives up."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    path = folder / "broker-2.log.gz"
    lines = gzip.decompress(path.read_bytes()).decode()
    warning = (
        "2026-11-22T14:26:14.000 WARN [Controller-2-to-broker-0-send-thread]"
        " kafka.controller.RequestSendThread [RequestSendThread controllerId=2]"
        " Controller 2 epoch 1 fails to send request (type=StopReplicaRequest) to"
        " broker localhost:9092 (id: 0 rack: null). Reconnecting to broker.\n"
    )
    path.chmod(0o644)
    path.write_bytes(gzip.compress((lines + failed * warning).encode()))
    header = json.loads(observed("kafka-2.5.1", folder).stdout.splitlines()[0])
    assert header["bounds"] == {"duplicates": failed}


def test_logs_at_default_levels(tmp_path: Path) -> None:
    """They have in which epochs brokers lead, without offsets, and are explained."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    for path in folder.glob("broker-*.log.gz"):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
        kept = (line for line in lines if not DETAILED.match(line))
        path.chmod(0o644)
        path.write_bytes(gzip.compress("".join(kept).encode()))
    found = observed("kafka-2.5.1", folder)
    assert '{"event": "lead", "leader_epoch": 1}' in found.stdout
    file = tmp_path / "observations.jsonl"
    file.write_text(found.stdout)
    result = CliRunner().invoke(main, ["validate", str(file)])
    assert result.exit_code == 0
    assert result.stdout.startswith("explained: a run of cluster, kafka-2.5.1 shows")


def test_a_leader_asks_for_another_isr() -> None:
    """Of 3.9 each AlterPartition is read, with the controller's answer."""
    result = observed("kafka-3.9", LOGS / "kafka-3.9.1-leaders_directory")
    lines = [json.loads(line) for line in result.stdout.splitlines()[1:]]
    asked = [line for line in lines if line["stream"] == "alter_partition 0>2"]
    label = {"request": "AlterPartition", "partition": 0, "leader_epoch": 0}
    assert [line["label"] for line in asked] == [
        {**label, "isr": [0, 2], "version": 0, "error": "NONE"},
        {**label, "isr": [0, 1, 2], "version": 1, "error": "NONE"},
    ]


def test_lines_that_show_nothing_are_counted() -> None:
    """What is not read is said for each file, by its logger and level."""
    result = observed("kafka-2.5.1", LOGS / "leaders_directory")
    assert "broker-0.log.gz: read 23 lines; 358 lines of 49 kinds" in result.stderr
    assert "kafka.server.KafkaApis TRACE" in result.stderr


def test_a_broker_of_which_nothing_was_read(tmp_path: Path) -> None:
    """It is named, for `validate` would take it that it did nothing."""
    assert "warning" not in observed("kafka-2.5.1", LOGS / "leaders_directory").stderr
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    (folder / "broker-1.log.gz").unlink()
    (folder / "broker-0.log.gz").chmod(0o644)
    (folder / "broker-0.log.gz").write_bytes(gzip.compress(b"not a line of a log\n"))
    told = observed("kafka-2.5.1", folder).stderr
    assert "warning: no line of broker-0.log.gz was read, of broker 0: `rep" in told
    assert "warning: broker 1 has no file broker-1.log: `replicheck val" in told


def test_a_folder_without_a_brokers_log(tmp_path: Path) -> None:
    """The message says how a broker's log is to be named."""
    result = observed("kafka-2.5.1", tmp_path)
    assert result.exit_code == 151
    assert "has no broker's log; each is to be named broker-ID.log" in result.stderr


def test_a_folder_without_zookeepers_log(tmp_path: Path) -> None:
    """The message says which files to copy."""
    (tmp_path / "broker-0.log").write_text("")
    result = observed("kafka-2.5.1", tmp_path)
    assert result.exit_code == 151
    assert "has no transaction log of ZooKeeper; copy the files log.*" in result.stderr


def test_a_torn_transaction(tmp_path: Path) -> None:
    """A line that is no transaction is named with its file and number."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    path = folder / "zookeeper.jsonl"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([lines[0], lines[1][:20]]))
    result = observed("kafka-2.5.1", folder)
    assert result.exit_code == 151
    assert f"{path}:2: no transaction" in result.stderr


EVENT = {"time": "2026-11-22T14:26:14.000", "event": "fail_directory", "broker": 0}


def test_an_unknown_event_of_an_operator(tmp_path: Path) -> None:
    """A line of operator.jsonl that is no event is named, with what is expected."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    (folder / "operator.jsonl").write_text(json.dumps({**EVENT, "event": "reboot"}))
    result = observed("kafka-2.5.1", folder)
    assert result.exit_code == 151
    assert "operator.jsonl:1: no event of an operator" in result.stderr
    assert "events are crash, fail_directory, replace_directory, end" in result.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (EVENT, "directory is missing"),
        ({**EVENT, "directory": "x"}, "directory is 'x', expected the number of a"),
        ({**EVENT, "broker": 9}, "broker is 9, expected the id of a broker of the"),
        ({**EVENT, "time": "soon"}, "time is 'soon', expected a time in UTC"),
        ({**EVENT, "event": 3}, "event is 3, expected an event of an operator"),
        ({"event": "crash", "broker": 0}, "time is missing"),
        ([EVENT], "is no JSON object"),
    ],
)
def test_a_broken_event_of_an_operator(line: object, told: str, tmp_path: Path) -> None:
    """The message has the line, and the key that is missing or has another form."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    (folder / "operator.jsonl").chmod(0o644)
    (folder / "operator.jsonl").write_text(json.dumps(line))
    result = observed("kafka-2.5.1", folder)
    assert f"operator.jsonl:1: no event of an operator: {told}" in result.stderr
    assert "Error(" not in result.stderr


def test_an_end_at_rest(tmp_path: Path) -> None:
    """The header says so only if the end of observation does."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    header, *_ = observed("kafka-2.5.1", folder).stdout.splitlines()
    assert json.loads(header)["ends"] == "at rest"
    path = folder / "operator.jsonl"
    path.chmod(0o644)
    path.write_text(path.read_text("utf-8").replace(', "at_rest": true', ""))
    header, *_ = observed("kafka-2.5.1", folder).stdout.splitlines()
    assert "ends" not in json.loads(header)


@pytest.mark.parametrize(
    "wrong", ['"event": "end", "at_rest": 1', '"event": "crash", "at_rest": true']
)
def test_rest_that_is_none(wrong: str, tmp_path: Path) -> None:
    """It is true or false, and of the end of observation alone."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    line = '{"time": "2026-11-22T14:26:14.000", "broker": 0, '
    (folder / "operator.jsonl").chmod(0o644)
    (folder / "operator.jsonl").write_text(f"{line}{wrong}}}")
    result = observed("kafka-2.5.1", folder)
    assert result.exit_code == 151
    assert "expected true or false of an end" in result.stderr


def test_a_deletion_of_the_controllers_znode(tmp_path: Path) -> None:
    """That an operator moves the controller is seen in ZooKeeper's log alone."""
    folder = tmp_path / "logs"
    shutil.copytree(LOGS / "leaders_directory", folder)
    path = folder / "zookeeper.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.chmod(0o644)
    last = lines[-1]
    deletion = {"t": last["t"], "zxid": last["zxid"] + 1, "session": "0x1", "cxid": 1}
    lines.append({**deletion, "op": "delete", "path": "/controller"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "operator.jsonl").unlink()
    written = [
        json.loads(line)
        for line in observed("kafka-2.5.1", folder).stdout.splitlines()[1:]
    ]
    assert {"writes": [{"znode": "controller", "broker": None}]} in [
        line["label"] for line in written
    ]


def test_values_of_the_request_log() -> None:
    """Kafka's own notation is read as JSON is."""
    text = "{a=1,b=[{c=x,d=[]},{c=y,d=[-1,2]}],e={}}"
    expected = {
        "a": 1,
        "b": [{"c": "x", "d": []}, {"c": "y", "d": [-1, 2]}],
        "e": {},
    }
    assert parse_value(text) == expected
    assert parse_value('{"a": [1]}') == {"a": [1]}


def test_a_cut_value_of_the_request_log() -> None:
    """A value that does not end is an error of its own."""
    with pytest.raises(ValueError, match="no whole value"):
        parse_value("{a=1,b=[")


def test_a_binary_transaction_log(tmp_path: Path) -> None:
    """The creation of a znode is read from ZooKeeper's own format."""
    path = tmp_path / "log.1"
    path.write_bytes(binary_log(create_record(b"/brokers/ids/7", b'{"port":9092}')))
    (transaction,) = read_transactions(path)
    (operation,) = transaction.operations
    assert (transaction.zxid, transaction.time, transaction.cxid) == (5, 1000, 3)
    assert (operation.kind, operation.path) == ("create", "/brokers/ids/7")
    assert operation.data == {"port": 9092}


def test_a_torn_binary_transaction_log(tmp_path: Path) -> None:
    """A record that is cut is an error with the byte where it begins."""
    path = tmp_path / "log.1"
    record = create_record(b"/brokers/ids/7", b"")[:30]
    path.write_bytes(binary_log(record))
    with pytest.raises(ZooKeeperLogError, match="torn transaction at byte 24"):
        list(read_transactions(path))


def create_record(path: bytes, data: bytes) -> bytes:
    """Record of a transaction of session 1, cxid 3, zxid 5 that creates a znode."""
    head = b"".join(
        (
            (1).to_bytes(8, "big"),
            (3).to_bytes(4, "big"),
            (5).to_bytes(8, "big"),
            (1000).to_bytes(8, "big"),
            (1).to_bytes(4, "big"),
        )
    )
    texts = b"".join(len(text).to_bytes(4, "big") + text for text in (path, data))
    return head + texts + bytes(4) + bytes(1) + bytes(4)


def binary_log(record: bytes) -> bytes:
    """File of ZooKeeper's transaction log with one record."""
    return (
        b"ZKLG" + bytes(12) + bytes(8) + len(record).to_bytes(4, "big") + record + b"B"
    )
