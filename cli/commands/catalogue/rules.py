"""``replicheck rules``: where each rule of Kafka is modelled, and what is left."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import attrs
import click

from replicheck.cli.commands.catalogue.named import print_found, require_no_form
from replicheck.cli.console.options import json_option, require_one_form
from replicheck.cli.console.output import STANDARD_OUTPUT, write_output
from replicheck.cli.reports.markdown_table import markdown_table
from replicheck.cli.reports.text.name_text import rule_lines
from replicheck.invariants.catalogue.rules import (
    STATUSES,
    Rule,
    models_with_rules,
    rules,
)

INTRODUCTION = """\
# Rules

Every rule of the controller, the brokers and their network, then every rule of the
replica fetchers, and where each is modelled. Both count their rules by themselves.
`make docs` writes this page from what `replicheck rules` finds in the docstrings.
"""


@click.command("rules")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@click.option("--markdown", is_flag=True, help="Write the page docs/rules.md.")
def list_rules(names: tuple[str, ...], as_json: bool, markdown: bool) -> None:
    """List every rule of Kafka with the function that models it, or why none does.

    NAME is the id of one, such as C-LIR-1.
    """
    require_one_form(as_json, markdown)
    listed = rules()
    if names:
        require_no_form(as_json, markdown)
        for name in names:
            ids = (rule.id for rule in listed)
            print_found(rule_lines(name), "rule", name, ids)
        return
    if not as_json:
        for line in _page(listed) if markdown else _lines(listed):
            click.echo(line)
        return
    document = {"rules": [attrs.asdict(rule) for rule in listed]}
    write_output(STANDARD_OUTPUT, f"{json.dumps(document, indent=2)}\n", "--json")


def _lines(listed: Sequence[Rule]) -> Iterator[str]:
    for model in models_with_rules():
        yield f"{model}:"
        for rule in listed:
            if rule.model == model:
                yield from _line(rule)
        yield ""
    yield _counts(listed)


def _line(rule: Rule) -> Iterator[str]:
    yield f"{rule.id:11} {rule.status:16} {', '.join(rule.where)}".rstrip()
    if rule.reason:
        yield f"{'':28} {rule.reason}"


def _page(listed: Sequence[Rule]) -> Iterator[str]:
    yield INTRODUCTION
    yield f"{_counts(listed)}."
    for model in models_with_rules():
        rows = [_row(rule) for rule in listed if rule.model == model]
        yield ""
        yield f"## {model.capitalize()}"
        yield ""
        yield from markdown_table(("rule", "status", "functions", "note"), rows)


def _row(rule: Rule) -> tuple[str, ...]:
    functions = ", ".join(f"`{function}`" for function in rule.where)
    return rule.id, rule.status, functions, rule.reason


def _counts(listed: Sequence[Rule]) -> str:
    counts = Counter(rule.status for rule in listed)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES)
