"""``replicheck conform``: runs of the model on Kafka's own classes, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from replicheck.cli.commands.option_groups import changed_bounds
from replicheck.cli.conformance.controllers.controller_session import CONTROLLER_MODEL
from replicheck.cli.conformance.findings import FindingRun, findings
from replicheck.cli.conformance.harness.artifacts import kraft_versions, versions
from replicheck.cli.conformance.harness.errors import HarnessUnavailable
from replicheck.cli.conformance.quorum.kraft_findings import kraft_findings
from replicheck.cli.conformance.quorum.quorum_session import QUORUM_MODEL
from replicheck.cli.conformance.reports.requested_reports import Requested
from replicheck.cli.conformance.reports.session_report import end
from replicheck.cli.conformance.requests import Requests
from replicheck.cli.conformance.session import MODEL
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.console.errors import BadInput, Unavailable
from replicheck.cli.console.options import (
    json_file,
    steps_option,
    time_option,
    traces_folder,
)
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_file,
    require_writable_traces,
)
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.model.protocol import Protocol

DEFAULT_VERSION = "2.5.1"
EVERY_CONTROLLER = "kafka-2.5.1"
"""The protocol whose elections are those of all versions."""
EVERY = "all"
"""Names every finding."""
FINDINGS = (*findings(), *kraft_findings())


@click.command()
@click.argument("names", nargs=-1, metavar="[SCENARIO|FILE]...")
@click.option(
    "--kafka",
    "version",
    type=click.Choice((*versions(), *kraft_versions())),
    default=DEFAULT_VERSION,
    show_default=True,
    help="Run the classes of this version, against the protocol of that version.",
)
@click.option(
    "--protocol",
    metavar="NAME",
    help="Compare with this protocol of the model instead.",
)
@click.option(
    "--suite", metavar="NAME", help="Take all runs that scenarios of a suite write out."
)
@click.option(
    "--campaigns",
    is_flag=True,
    help="Walk through the bounds that come with the project; they allow every action.",
)
@click.option(
    "--mutants",
    is_flag=True,
    help="Walk through all mutants of the protocol, and tell how many differ.",
)
@click.option(
    "--elections",
    type=click.IntRange(1, 3),
    metavar="BROKERS",
    help="Compare every election of the controller among so many brokers.",
)
@click.option(
    "--controllers",
    is_flag=True,
    help="Walk through the bounds of controllers that come with the project.",
)
@click.option(
    "--brokers",
    is_flag=True,
    help="Take the brokers of KRaft on Kafka's own classes, beside its controller.",
)
@click.option(
    "--all-known",
    is_flag=True,
    help="Exit 10 if a known difference of this version was never met.",
)
@click.option(
    "--all-met",
    is_flag=True,
    help="Exit 10 if an action or a rule of this version was never met.",
)
@click.option(
    "--finding",
    "chosen",
    type=click.Choice([*sorted({found.name for found in FINDINGS}), EVERY]),
    multiple=True,
    help="Execute the run of a finding, or of all, to the harm that a user sees.",
)
@changed_bounds
@click.option(
    "--walks",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Take so many random walks through each scenario.",
)
@steps_option(10_000, 60, "The most steps of a walk.")
@time_option("End the walks of a scenario after so many seconds.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**62),
    default=0,
    show_default=True,
    help="The same seed gives the same walks.",
)
@traces_folder("Where to save a run in which something differs.")
@json_file
@click.pass_obj
def conform(
    catalogue: Catalogue,
    /,
    names: tuple[str, ...],
    version: str,
    protocol: str | None,
    suite: str | None,
    campaigns: bool,
    mutants: bool,
    elections: int | None,
    controllers: bool,
    brokers: bool,
    all_known: bool,
    all_met: bool,
    chosen: tuple[str, ...],
    bounds: Mapping[str, object] | None,
    walks: int,
    steps: int,
    seconds: float | None,
    seed: int,
    traces: Path,
    json_path: str | None,
) -> None:
    """Run the model and Kafka's own classes in lock-step, and compare every state.

    A scenario is walked through at random; a file with a saved run is taken step by
    step; with --suite, all runs that are written down. Needs Java and the jars of
    Kafka, which are fetched at first use. Exit codes: 0 nothing differs but what is
    known, 2 wrong usage, 10 a finding or a known difference was not met, 14 something
    differs, 69 no Java or no jars, 77 a saved run was not taken, or not to the states
    that its file has, or nothing was compared, 151 bad scenario or trace.
    """
    if not (
        names or suite or campaigns or mutants or chosen or elections or controllers
    ):
        raise click.UsageError(
            "name a scenario or a file with a saved run, or give --suite, --campaigns,"
            " --mutants, --elections, --controllers or --finding"
        )
    require_writable_traces(traces)
    if json_path is not None:
        require_writable_file(json_path, "--json")
    if version in kraft_versions() and (elections or controllers):
        raise click.UsageError(
            f"--elections and --controllers are of Kafka {versions()[0]} to"
            f" {versions()[-1]}, and not of {version}"
        )
    if brokers and version not in kraft_versions():
        raise click.UsageError(
            f"--brokers is of Kafka {kraft_versions()[0]}; of {version} brokers are"
            " taken anyway"
        )
    protocols = _protocols(catalogue, protocol, version)
    requests = Requests(catalogue, names, bounds)
    requested = Requested(
        requests=requests,
        version=version,
        of_brokers=protocols[MODEL],
        of_controllers=protocols[CONTROLLER_MODEL],
        of_quorum=protocols[QUORUM_MODEL],
        traces=traces,
        is_quiet=json_path == STANDARD_OUTPUT,
        extent=Extent(walks, steps, seconds),
        seed=seed,
        suite=suite,
        campaigns=campaigns,
        mutants=mutants,
        elections=elections,
        controllers=controllers,
        brokers=brokers,
        findings=_findings(chosen, version),
        must_meet=all_met,
        must_meet_known=all_known,
    )
    try:
        requests.require_models(_models(version), version)
        reports = requested.reports()
    except HarnessUnavailable as error:
        raise Unavailable(str(error)) from error
    except (ScenarioError, CannotTake) as error:
        raise BadInput(str(error)) from error
    end(reports, json_path)


def _models(version: str) -> tuple[str, ...]:
    """Models whose steps the harness of a version can take."""
    if version in kraft_versions():
        return (QUORUM_MODEL,)
    return MODEL, CONTROLLER_MODEL


def _protocols(
    catalogue: Catalogue, named: str | None, version: str
) -> dict[str, Protocol]:
    """Protocols by their models: those of the version, but for one that is named.

    `cluster` has one for all versions.
    """
    known = {
        model: catalogue.systems[model].protocols_by_name
        for model in (MODEL, CONTROLLER_MODEL, QUORUM_MODEL)
    }
    is_kraft = version in kraft_versions()
    fetching = DEFAULT_VERSION if is_kraft else version
    found = {
        MODEL: known[MODEL][f"kafka-{fetching}"],
        CONTROLLER_MODEL: known[CONTROLLER_MODEL][EVERY_CONTROLLER],
        QUORUM_MODEL: known[QUORUM_MODEL][f"kafka-{kraft_versions()[-1]}"],
    }
    if named is None:
        return found
    for model in _models(version):
        if named in known[model]:
            return found | {model: known[model][named]}
    models = " and ".join(_models(version))
    several = f"the models {models} have" if not is_kraft else f"the model {models} has"
    raise BadInput(f"--protocol: {several} no protocol {named}")


def _findings(chosen: tuple[str, ...], version: str) -> tuple[FindingRun, ...]:
    """Runs of a version; a finding that is named must have one."""
    own = tuple(found for found in FINDINGS if version in found.versions)
    for name in {*chosen} - {EVERY, *(found.name for found in own)}:
        seen = sorted({v for f in FINDINGS if f.name == name for v in f.versions})
        raise click.UsageError(
            f"--finding {name} has no run for Kafka {version}: give --kafka"
            f" {' or '.join(seen)}"
        )
    return tuple(f for f in own if f.name in chosen or EVERY in chosen)
