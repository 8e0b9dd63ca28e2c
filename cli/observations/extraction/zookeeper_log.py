"""ZooKeeper's transaction log: every write to any znode, in their order.

Reads the binary files ``version-2/log.*`` of ZooKeeper 3.4 to 3.8, and JSON Lines with
the same fields. Reads and watches are not in such a log.

Source: org.apache.zookeeper.server.persistence.FileTxnLog, zookeeper.jute.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import frozen

from replicheck.cli.observations.extraction.log_errors import errors_at, read_log
from replicheck.explorer.runtime.bounded_files import parse_json

MAGIC = b"ZKLG"
HEADER_LENGTH = 16
CHECKSUM_LENGTH = 8

KINDS = {
    -11: "closeSession",
    -10: "createSession",
    -1: "error",
    1: "create",
    2: "delete",
    5: "setData",
    7: "setACL",
    13: "check",
    14: "multi",
    15: "create",
    19: "create",
    20: "delete",
    21: "create",
}
"""Operations by their numbers in ZooDefs.OpCode."""


class ZooKeeperLogError(Exception):
    """A file is no transaction log of ZooKeeper, or is torn."""


@frozen
class Operation:
    """A write; ``data`` is JSON where the znode holds JSON, else text."""

    kind: str
    path: str = ""
    data: Any = None
    version: int | None = None


@frozen
class Transaction:
    """Writes that happen at once; ``time`` is in ms at the server.

    ``cxid`` is the number of the client's request, 0 where the server itself ended a
    session that had expired.
    """

    zxid: int
    time: int
    session: str
    cxid: int
    operations: tuple[Operation, ...]


def read_transactions(path: Path) -> Iterator[Transaction]:
    """Transactions of a file, binary or JSON Lines.

    Raises:
        LogError: if the file cannot be read, or a line is no transaction.
        ZooKeeperLogError: if it is torn.
    """
    data = read_log(path)
    if data.startswith(MAGIC):
        yield from _binary_transactions(data, path)
        return
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        with errors_at(f"{path}:{number}", "no transaction"):
            transaction = _json_transaction(parse_json(line))
        yield transaction


def milliseconds(stamp: str) -> int:
    """Milliseconds since 1970 of an ISO time in UTC."""
    at = datetime.fromisoformat(stamp.replace(",", ".")).replace(tzinfo=UTC)
    return round(at.timestamp() * 1000)


def _json_transaction(line: dict[str, Any]) -> Transaction:
    operations = tuple(
        Operation(op["op"], op.get("path", ""), op.get("data"), op.get("version"))
        for op in line.get("ops", [line])
    )
    time = milliseconds(line["t"])
    zxid, session, cxid = line["zxid"], line["session"], line["cxid"]
    is_known = isinstance(zxid, int) and isinstance(cxid, int)
    if not is_known or not isinstance(session, str):
        raise TypeError("zxid and cxid are integers, and session is a text")
    return Transaction(zxid, time, session, cxid, operations)


class _Reader:
    """Fields of a record in ZooKeeper's serialization, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def number(self, form: str) -> int:
        value: int
        (value,) = struct.unpack_from(f">{form}", self.data, self.position)
        self.position += struct.calcsize(f">{form}")
        return value

    def buffer(self) -> bytes:
        length = self.number("i")
        if length < 0:
            return b""
        self.position += length
        return self.data[self.position - length : self.position]

    def text(self) -> str:
        return self.buffer().decode("utf-8", "replace")

    def json(self) -> Any:
        text = self.text()
        try:
            return parse_json(text)
        except ValueError:
            return text


def _binary_transactions(data: bytes, path: Path) -> Iterator[Transaction]:
    reader = _Reader(data)
    reader.position = HEADER_LENGTH
    while reader.position + CHECKSUM_LENGTH + 4 <= len(data):
        reader.position += CHECKSUM_LENGTH
        begin = reader.position
        try:
            record = reader.buffer()
            if not record:
                return
            reader.position += 1
            yield _transaction(_Reader(record))
        except (struct.error, KeyError, RecursionError) as error:
            raise ZooKeeperLogError(
                f"{path}: torn transaction at byte {begin}: {error!r}"
            ) from error


def _transaction(reader: _Reader) -> Transaction:
    session, cxid, zxid, time = (reader.number(form) for form in ("Q", "i", "q", "q"))
    operations = tuple(_operations(reader.number("i"), reader))
    return Transaction(zxid, time, f"{session:#x}", cxid, operations)


def _operations(number: int, reader: _Reader) -> Iterator[Operation]:
    kind = KINDS.get(number, str(number))
    if kind == "multi":
        for _ in range(reader.number("i")):
            part = reader.number("i")
            yield from _operations(part, _Reader(reader.buffer()))
    elif kind == "create":
        yield Operation(kind, reader.text(), reader.json())
    elif kind == "setData":
        yield Operation(kind, reader.text(), reader.json(), reader.number("i"))
    elif kind == "check":
        yield Operation(kind, reader.text(), version=reader.number("i"))
    elif kind == "delete":
        yield Operation(kind, reader.text())
    else:
        yield Operation(kind)
