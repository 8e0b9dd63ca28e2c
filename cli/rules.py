"""``replicheck rules``: where each rule of Kafka is modelled, and what is left."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import attrs
import click

from replicheck.invariants.rules import STATUSES, Rule, rules


@click.command("rules")
@click.option(
    "--json", "as_json", metavar="-", help="Write JSON to stdout, given as -."
)
def list_rules(as_json: str | None) -> None:
    """List every rule of Kafka with the function that models it, or why none does."""
    listed = rules()
    if as_json is None:
        for line in _lines(listed):
            click.echo(line)
        return
    if as_json != "-":
        raise click.UsageError("--json: give - for standard output")
    document = {"rules": [attrs.asdict(each) for each in listed]}
    click.echo(json.dumps(document, indent=2))


def _lines(listed: Sequence[Rule]) -> Iterator[str]:
    counts = Counter(each.status for each in listed)
    for each in listed:
        yield f"{each.id:11} {each.status:16} {', '.join(each.where)}".rstrip()
        if each.reason:
            yield f"{'':28} {each.reason}"
    yield ""
    yield ", ".join(f"{counts[status]} {status}" for status in STATUSES)
