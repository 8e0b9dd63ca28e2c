"""The command ``replicheck``."""

from __future__ import annotations

import click

from replicheck.cli.check import check
from replicheck.cli.explore import explore
from replicheck.cli.export import export
from replicheck.cli.listing import list_everything, show
from replicheck.cli.mutants import run_mutants
from replicheck.cli.resume import resume
from replicheck.cli.rules import list_rules
from replicheck.cli.tracing.group import trace
from replicheck.invariants.catalogue import Catalogue


@click.group()
@click.version_option(package_name="replicheck", message="replicheck %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Check Kafka's replication protocols: visit every state, judge each.

    Start with `replicheck list`, then `replicheck show replication`.
    """
    context.obj = context.obj or Catalogue.shipped()


main.add_command(check)
main.add_command(explore)
main.add_command(export)
main.add_command(resume)
main.add_command(list_everything)
main.add_command(show)
main.add_command(list_rules)
main.add_command(run_mutants)
main.add_command(trace)
