"""Journals: what a full disk did not take is no part of the file."""

from __future__ import annotations

import errno
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from replicheck.explorer.runtime.journal import Journal

ROOM = 4096


@pytest.fixture
def _little_room() -> Iterator[None]:
    """No file may have more than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    heeded = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, heeded)


@pytest.mark.usefixtures("_little_room")
def test_a_full_disk(tmp_path: Path) -> None:
    """The journal holds what it held before, and closes without an error."""
    journal = Journal(tmp_path / "numbers", np.uint64)
    journal.append(np.arange(8, dtype=np.uint64))
    checksum = journal.checksum
    with pytest.raises(OSError) as raised:
        journal.append(np.arange(ROOM // 8, dtype=np.uint64))
    assert raised.value.errno == errno.EFBIG
    assert (journal.count, journal.checksum) == (8, checksum)
    journal.close()
    again = Journal.reopen(tmp_path / "numbers", np.uint64, 8, checksum)
    assert again.mapped().tolist() == list(range(8))
    again.close()
