"""Who does not want to trust 64 bits need not.

The fingerprints of these tests are so weak that many states share one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from replicheck.cli.main import main
from replicheck.explorer.engine import CheckpointSettings, Limits, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.properties import sometimes
from replicheck.explorer.states.symmetry import Reduction
from replicheck.explorer.tables import zobrist
from replicheck.invariants.replication.properties import WITNESSES
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import PROTOCOLS, replication_model

pytestmark = pytest.mark.slow

KIP_320 = replication_model(
    PROTOCOLS[-1], ReplicationBounds(brokers=2, log_size=2, records=2)
)
NO_ROOM = Limits(memory=1)
STRONGER = [KeyPrecision.BITS_128, KeyPrecision.EXACT]


@pytest.fixture
def weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each value of each cell a word of 16 bits.

    One more bit in the words of the first column keeps fingerprints from being 0, which
    stands for none: with 16 bits that happens, with 64 it does not.
    """
    of_64_bits = zobrist.cell_words

    def words(hashes: U64Array, columns: U64Array) -> U64Array:
        of_first_column = (columns == 0).astype(np.uint64) << np.uint64(16)
        found: U64Array = of_64_bits(hashes, columns) >> np.uint64(48) | of_first_column
        return found

    monkeypatch.setattr(zobrist, "cell_words", words)


@pytest.fixture(scope="module")
def states() -> int:
    """Number of states."""
    return Naive().explore(KIP_320, ()).states


def test_weak_fingerprints_lose_states(weak: None, states: int) -> None:
    """So the tests below test something."""
    assert BreadthFirst().explore(KIP_320, ()).states < states


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("fingerprints", STRONGER)
def test_keys_tell_all_states_apart(
    weak: None, states: int, fingerprints: KeyPrecision, threads: int
) -> None:
    """More bits, or whole states, make up for weak fingerprints."""
    engine = BreadthFirst(threads=threads, fingerprints=fingerprints)
    assert engine.explore(KIP_320, ()).states == states


def partitioned(precision: KeyPrecision, **options: Any) -> Partitioned:
    """The partitioned engine with two processes, among which all tasks are divided."""
    cluster = in_process(2)
    return Partitioned(
        buckets=4, cluster=cluster, small=0, fingerprints=precision, **options
    )


def test_keys_tell_all_states_apart_in_every_process(weak: None, states: int) -> None:
    """What processes exchange has the key of each state, and so have earlier levels."""
    properties = [sometimes(predicate) for predicate in WITNESSES]
    shorter = partitioned(KeyPrecision.BITS_64).explore(KIP_320, properties)
    longer = partitioned(KeyPrecision.BITS_128).explore(KIP_320, properties)
    local = BreadthFirst(fingerprints=KeyPrecision.BITS_128)
    assert shorter.states < states
    assert longer == local.explore(KIP_320, properties)
    assert longer.states == states


def test_a_partitioned_search_goes_on_with_its_keys(
    weak: None, states: int, tmp_path: Path
) -> None:
    """They are in the files of its levels."""
    engine = partitioned(
        KeyPrecision.BITS_128, keep=CheckpointSettings(tmp_path / "search", 0)
    )
    cut = engine.explore(KIP_320, (), Search(Limits(seconds=1e-9)))
    assert cut.cut == "seconds"
    assert engine.resume(KIP_320, ()).states == states


@pytest.mark.parametrize("fingerprints", STRONGER)
def test_the_report_is_the_same(fingerprints: KeyPrecision) -> None:
    """Identities change nothing but the certainty."""
    plain = BreadthFirst().explore(KIP_320, ())
    sure = BreadthFirst(fingerprints=fingerprints).explore(KIP_320, ())
    assert sure == plain
    assert (sure.statistics.collisions or 0) < (plain.statistics.collisions or 0)


@pytest.mark.parametrize("fingerprints", STRONGER)
def test_a_checkpoint_keeps_state_keys(
    weak: None, states: int, tmp_path: Path, fingerprints: KeyPrecision
) -> None:
    """A search that goes on still tells the states apart."""
    engine = BreadthFirst(
        fingerprints=fingerprints, keep=CheckpointSettings(tmp_path, 0)
    )
    cut = engine.explore(KIP_320, (), Search(Limits(seconds=1e-9)))
    assert cut.cut == "seconds"
    assert engine.resume(KIP_320, ()).states == states


def test_symmetric_states_with_more_bits() -> None:
    """The bits are those of the renaming that makes the fingerprint least."""
    by_bits: dict[KeyPrecision, Any] = {
        precision: BreadthFirst(reduction=Reduction.SYMMETRY, fingerprints=precision)
        for precision in (KeyPrecision.BITS_64, KeyPrecision.BITS_128)
    }
    short, long = (engine.explore(KIP_320, ()) for engine in by_bits.values())
    assert short == long


@pytest.mark.parametrize("fingerprints", STRONGER)
def test_keys_go_to_the_disk(
    weak: None,
    states: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fingerprints: KeyPrecision,
) -> None:
    """Without any room, states of one fingerprint are still told apart, and in order.

    Violations are found by the same traces.
    """
    monkeypatch.setattr(chunk_walker, "CHUNKS", 1)
    monkeypatch.setattr(chunk_walker, "CHUNK", 256)
    monkeypatch.setattr(chunk_walker, "BLOCK", 256)
    properties = [sometimes(predicate) for predicate in WITNESSES]
    in_memory = BreadthFirst(fingerprints=fingerprints).explore(KIP_320, properties)
    engine = BreadthFirst(
        fingerprints=fingerprints, keep=CheckpointSettings(tmp_path, 1000)
    )
    on_disk = engine.explore(KIP_320, properties, Search(NO_ROOM))
    assert in_memory.states == states
    assert on_disk == in_memory


@pytest.mark.parametrize("fingerprints", STRONGER)
def test_to_go_on_without_room(
    weak: None, states: int, tmp_path: Path, fingerprints: KeyPrecision
) -> None:
    """A search that began in memory goes on on the disk."""

    def interrupt(progress: Progress) -> None:
        if progress.depth == 12:
            raise KeyboardInterrupt

    engine = BreadthFirst(
        fingerprints=fingerprints, keep=CheckpointSettings(tmp_path, 0)
    )
    cut = engine.explore(KIP_320, (), Search(watch=interrupt))
    assert cut.cut == "interrupted"
    assert engine.resume(KIP_320, (), Search(NO_ROOM)).states == states


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["--fingerprints", "exact"], 0, "states compared whole"),
        (["--fingerprints", "128"], 0, "--fingerprints 128"),
        (["--fingerprints", "exact", "--symmetry"], 2, "use --fingerprints 128"),
        (["--fingerprints", "exact", "--engine", "spark"], 2, "--fingerprints 128"),
        (["--fingerprints", "32"], 2, "'32' is not one of"),
        (["--fingerprints", "128", "--engine", "naive"], 2, "--fingerprints is not"),
    ],
)
def test_the_option(options: list[str], code: int, text: str) -> None:
    """It is named in what repeats a result, and refused where it means nothing."""
    command = ["check", "replication", "--bounds", "brokers=2", *options]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == code, result.output
    assert text in result.output
