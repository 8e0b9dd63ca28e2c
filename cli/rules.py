"""``replicheck rules``: where each rule of Kafka is modelled, and what is left."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import attrs
import click

from replicheck.cli.markdown import table_of
from replicheck.invariants.rules import STATUSES, Rule, rules

INTRODUCTION = """\
# Rules

Every rule of the controller, the brokers and their network, and where it is modelled.
`make docs` writes this page from what `replicheck rules` finds in the docstrings.
"""


@click.command("rules")
@click.option(
    "--json", "as_json", metavar="-", help="Write JSON to stdout, given as -."
)
@click.option("--markdown", is_flag=True, help="Write the page docs/rules.md.")
def list_rules(as_json: str | None, markdown: bool) -> None:
    """List every rule of Kafka with the function that models it, or why none does."""
    listed = rules()
    if as_json is None:
        for line in _page(listed) if markdown else _lines(listed):
            click.echo(line)
        return
    if as_json != "-":
        raise click.UsageError("--json: give - for standard output")
    document = {"rules": [attrs.asdict(each) for each in listed]}
    click.echo(json.dumps(document, indent=2))


def _lines(listed: Sequence[Rule]) -> Iterator[str]:
    for each in listed:
        yield f"{each.id:11} {each.status:16} {', '.join(each.where)}".rstrip()
        if each.reason:
            yield f"{'':28} {each.reason}"
    yield ""
    yield _counts(listed)


def _page(listed: Sequence[Rule]) -> Iterator[str]:
    yield INTRODUCTION
    yield f"{_counts(listed)}."
    yield ""
    yield from table_of(("rule", "status", "functions", "note"), map(_row, listed))


def _row(rule: Rule) -> tuple[str, ...]:
    functions = ", ".join(f"`{each}`" for each in rule.where)
    return rule.id, rule.status, functions, rule.reason


def _counts(listed: Sequence[Rule]) -> str:
    counts = Counter(each.status for each in listed)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES)
