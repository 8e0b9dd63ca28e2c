"""``replicheck observe``: logs of a cluster as observations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.observations.extraction.cluster_names import (
    ClusterNames,
    UnknownClusterError,
)
from replicheck.cli.observations.extraction.extraction import (
    VERSIONS,
    Extraction,
    ExtractionError,
    extract,
)
from replicheck.cli.observations.extraction.log_errors import LogError
from replicheck.cli.observations.extraction.zookeeper_log import ZooKeeperLogError
from replicheck.cli.observations.observation_file import (
    DEFAULT_SLACK,
    ObservationFile,
    ObservationHeader,
    dump,
)
from replicheck.traces.printable_text import printable_line

MOST_KINDS = 8
"""Kinds of lines that were not read, of which a summary names no more."""


@click.command()
@click.argument("version", type=click.Choice(list(VERSIONS)))
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--model",
    type=click.Choice(("cluster", "composed")),
    default="cluster",
    show_default=True,
    help="The model that the observations are to be laid beside.",
)
@click.option(
    "--slack",
    type=click.IntRange(min=0),
    default=DEFAULT_SLACK,
    show_default=True,
    metavar="MS",
    help="How far the clocks of two machines may differ.",
)
@click.option(
    "--no-clocks",
    is_flag=True,
    help="Trust no clock: only the order within each stream counts.",
)
def observe(
    version: str, folder: Path, model: str, slack: int, no_clocks: bool
) -> None:
    """Read the logs of a cluster, and print what they show as observations.

    FOLDER has ZooKeeper's transaction log, a file broker-ID.log for each broker, and
    operator.jsonl if it is known what was done to the cluster. Standard output gets
    JSON Lines for `replicheck validate`; a summary goes to standard error. Exit codes:
    0 written, 2 wrong usage, 151 logs that cannot be read.
    """
    try:
        found = extract(folder, version)
    except (
        ExtractionError,
        LogError,
        UnknownClusterError,
        ZooKeeperLogError,
    ) as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be read: {error.strerror}") from error
    header = ObservationHeader(
        model=model,
        slack=None if no_clocks else slack,
        bounds=found.bounds,
        unobserved=found.unobserved,
        names=_names(found.names),
        source=version,
        ends=found.ends,
    )
    for line in dump(ObservationFile(header, found.observations)):
        click.echo(line, nl=False)
    _summarise(found)


def _names(names: ClusterNames) -> dict[str, object]:
    """Real names by their numbers, for a reader of the observations."""
    by_number = sorted(names.brokers, key=names.brokers.__getitem__)
    return {
        "brokers": by_number,
        "topics": list(names.topics),
        "directories": [list(names.directories.get(b, ())) for b in by_number],
    }


def _summarise(found: Extraction) -> None:
    click.echo(f"{len(found.observations)} observations", err=True)
    for file, lines in found.recognition.items():
        read, left = lines.recognised.total(), lines.ignored
        text = (
            f"{file}: read {read} lines; {left.total()} lines of {len(left)} kinds show"
            f" nothing that the model has; {lines.malformed} are of another form"
        )
        click.echo(printable_line(text), err=True)
        for kind, count in left.most_common(MOST_KINDS):
            click.echo(printable_line(f"  {count:6,} {kind}"), err=True)
    for lack in _lacking_logs(found):
        click.echo(
            f"warning: {lack}: `replicheck validate` will take it that it did nothing"
            " which its log would show",
            err=True,
        )


def _lacking_logs(found: Extraction) -> Iterator[str]:
    """Yield what is said of each broker of which nothing was read."""
    files = {name.partition(".")[0]: name for name in found.recognition}
    for broker in sorted(found.names.brokers):
        file = files.get(f"broker-{broker}")
        if file is None:
            yield f"broker {broker} has no file broker-{broker}.log"
        elif not found.recognition[file].recognised:
            yield printable_line(f"no line of {file} was read, of broker {broker}")
