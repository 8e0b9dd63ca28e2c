"""Compiled kernels are kept, read back without the compiler, and never trusted blindly.

The kernel under test adds fingerprints to a hash table.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from replicheck.explorer.native import object_code
from replicheck.explorer.native.kernel import Kernel
from replicheck.explorer.native.kernels.arrays import PARTS
from replicheck.explorer.native.kernels.sequence_arrays import TreeArrays
from replicheck.explorer.native.packing import pack

PRINTS = np.array([0, 1, 2**64 - 1], np.uint64)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep compiled kernels in an empty folder."""
    monkeypatch.setattr(object_code, "cache_folder", lambda: tmp_path)
    return tmp_path


def counted(fingerprints: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> list[int]:
    """Fingerprints that a kernel new to this process adds; 0 marks an empty slot."""
    slots, nothing = np.zeros(2 * PARTS, np.uint64), np.empty(0, np.uint64)
    add_all = Kernel("visited.open_table", "add_all")
    add_all(fingerprints, nothing, slots, nothing, 0)
    return [int(slot) for slot in np.sort(slots[slots != 0])]


def test_a_kernel_is_compiled_once(folder: Path) -> None:
    """The second use reads what the first one wrote."""
    assert counted(PRINTS) == [1, 2**64 - 1]
    (kept,) = folder.iterdir()
    before = kept.stat()
    assert counted(PRINTS) == [1, 2**64 - 1]
    assert kept.stat().st_ino == before.st_ino


@pytest.mark.parametrize("content", [b"", b"\n", b"torn", b"abc add_all\n\x7fELF"])
def test_a_torn_file_is_compiled_anew(folder: Path, content: bytes) -> None:
    """What is not whole is never linked."""
    counted(PRINTS)
    (kept,) = folder.iterdir()
    kept.write_bytes(content)
    assert counted(PRINTS) == [1, 2**64 - 1]
    repaired = kept.stat()
    assert repaired.st_size > len(content)
    assert counted(PRINTS) == [1, 2**64 - 1]
    assert kept.stat().st_ino == repaired.st_ino


def test_a_folder_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Kernels run all the same."""
    monkeypatch.setattr(object_code, "cache_folder", lambda: tmp_path / "missing")
    assert counted(PRINTS) == [1, 2**64 - 1]


def test_an_array_with_gaps_is_refused() -> None:
    """A kernel gets an address and a shape, no strides."""
    with pytest.raises(ValueError, match="contiguous"):
        pack(PRINTS[::2])


def test_a_search_does_not_import_the_compiler(tmp_path: Path) -> None:
    """Once its kernels are kept."""
    search = (
        "import sys; from replicheck.cli.main import main\n"
        "try: main(['check', 'replication', '--bounds', 'brokers=1'])\n"
        "except SystemExit: pass\n"
        "assert 'numba' not in sys.modules, 'numba'"
    )
    subprocess.run([sys.executable, "-c", search.split("assert")[0]], check=True)
    subprocess.run([sys.executable, "-c", search], cwd=tmp_path, check=True)


def test_a_kernel_counts_no_references_to_arrays(folder: Path) -> None:
    """Its caller owns them; numba counts each reference unless that is left out."""
    n, counts = np.zeros(0, np.int32), np.zeros(0, np.int64)
    tree = TreeArrays(n, n, n, n, n, n, n, n, counts)
    append_all = Kernel("sequence_growth", "append_all")
    assert append_all(tree, n, n, 0, n) == 0
    (kept,) = folder.iterdir()
    assert b"NRT_incref" not in kept.read_bytes()
