"""Options that commands share: each group of them is taken as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import click

from replicheck.cli.console.grouped_options import Decorator, option_group
from replicheck.cli.console.options import (
    bounds,
    changed_reductions,
    limit_disk,
    limit_memory,
    limit_seconds,
    spark_master,
    threads_option,
)
from replicheck.cli.tasks.engine_settings import (
    FINGERPRINTS,
    MOST_BUCKETS,
    REDUCE_BEYOND,
    Counting,
    Settings,
)
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.tasks.overrides import Overrides
from replicheck.invariants.catalogue.scenario import LimitTable, Names


def bounds_option(summary: str) -> Decorator:
    """The option ``--bounds`` with a summary; given several times, each adds bounds."""
    return click.option(
        "--bounds",
        type=bounds,
        metavar="KEY=VALUE,...",
        multiple=True,
        callback=_together,
        help=summary,
    )


def _together(
    context: click.Context,
    parameter: click.Parameter,
    given: tuple[Mapping[str, object], ...],
) -> Mapping[str, object] | None:
    """The bounds of all options; None if there is none.

    Raises:
        click.BadParameter: if two options have the same bound.
    """
    found: dict[str, object] = {}
    for some in given:
        for name in some:
            if name in found:
                raise click.BadParameter(f"{name} is given twice", context, parameter)
        found.update(some)
    return found if given else None


changed_bounds = bounds_option("Change some of the bounds.")


class ScenarioOptions(NamedTuple):
    """Changes of a scenario: protocol, initial state, reductions, some bounds."""

    protocol: str | None = None
    initial: str | None = None
    reductions: Names | None = None
    bounds: Mapping[str, object] | None = None

    def overrides(self) -> Overrides:
        """Overrides with these changes, for the default engine."""
        return Overrides(
            DEFAULT_ENGINE,
            protocol=self.protocol,
            bounds=self.bounds,
            initial=self.initial,
            reductions=self.reductions,
        )


changed_initial = click.option(
    "--initial",
    metavar="NAME",
    help="Begin in this initial state instead, as `replicheck show` names them.",
)


def scenario_options(verb: str) -> Decorator:
    """Decorator that adds the parameter ``changes``; the help begins with a verb."""
    summary = f"{verb} this protocol instead."
    protocol = click.option("--protocol", metavar="NAME", help=summary)
    options = (protocol, changed_initial, changed_reductions, changed_bounds)
    return option_group("changes", ScenarioOptions, options)


options_beside_protocols = option_group(
    "changes", ScenarioOptions, (changed_initial, changed_reductions, changed_bounds)
)
"""Those of a command whose arguments name protocols."""


class EngineOptions(NamedTuple):
    """The engine of a search and its settings."""

    engine: str
    threads: int | None
    master: str | None
    buckets: int | None
    store: str | None
    states: str | None
    counting: str | None
    reduced: str | None
    reduce_beyond: int | None
    fingerprints: str | None
    paranoid: bool
    livelocks: bool

    @property
    def settings(self) -> Settings:
        """Settings of the engine; an option that is not given has the default.

        Raises:
            click.UsageError: if two options exclude each other.
        """
        if self.counting and self.reduced:
            raise click.UsageError(
                "--reduce and --symmetry: that both together miss nothing is not"
                " proved; use one of them"
            )
        if self.reduce_beyond is not None and not self.reduced:
            raise click.UsageError(
                "--reduce-beyond: no step is left out without --reduce; add it"
            )
        return Settings(
            reduce_beyond=(
                REDUCE_BEYOND if self.reduce_beyond is None else self.reduce_beyond
            ),
            counting=Counting(self.counting or self.reduced or Counting.ALL.value),
            threads=self.threads or 0,
            fingerprints=self.fingerprints or "64",
            paranoid=self.paranoid,
            livelocks=self.livelocks,
            master=self.master,
            buckets=self.buckets or 0,
            store=_absolute(self.store),
            states=_absolute(self.states),
        )


def _absolute(uri: str | None) -> str | None:
    """Path as seen from any directory; a URI stays what it is."""
    return uri if uri is None or "://" in uri else str(Path(uri).absolute())


engine_options = option_group(
    "engine",
    EngineOptions,
    (
        click.option(
            "--engine",
            type=click.Choice(list(ENGINES)),
            default=DEFAULT_ENGINE,
            show_default=True,
            help="How to search.",
        ),
        threads_option("Search with so many threads instead of one for each core."),
        spark_master,
        click.option(
            "--buckets",
            type=click.IntRange(min=1, max=MOST_BUCKETS),
            help="Divide the states into so many parts; 16 by default. Spark only.",
        ),
        click.option(
            "--store",
            metavar="URI",
            help="Where every worker of Spark can write: a directory, s3://...,"
            " hdfs://...",
        ),
        click.option(
            "--states",
            metavar="URI",
            help="Write every reachable state there, as Parquet. Spark only.",
        ),
        click.option(
            "--symmetry",
            "counting",
            flag_value=Counting.UP_TO_SYMMETRY.value,
            help="Count states that differ by a renaming only as one.",
        ),
        click.option(
            "--reduce",
            "reduced",
            flag_value=Counting.REDUCED.value,
            help="Leave out steps that change the order of others only, in a large"
            " search; fewer states. Of several violations it may find another one"
            " first.",
        ),
        click.option(
            "--reduce-beyond",
            metavar="STATES",
            type=click.IntRange(0),
            help="With --reduce, leave out nothing in a search of at most so many"
            f" states, which takes less time; {REDUCE_BEYOND:,} by default.",
        ),
        click.option(
            "--fingerprints",
            type=click.Choice(FINGERPRINTS),
            help="What is kept to tell states apart: so many bits, 64 by default, or"
            " all.",
        ),
        click.option(
            "--paranoid",
            is_flag=True,
            help="Repeat every run of the model's functions and compare; slower.",
        ),
        click.option(
            "--livelocks",
            is_flag=True,
            help="Judge what is claimed of runs that go on for ever, too, and say"
            " whether there are any; takes more time and memory.",
        ),
    ),
)


class LimitOptions(NamedTuple):
    """The limits of a search; None is that of the scenario."""

    limit_states: int | None = None
    limit_depth: int | None = None
    limit_seconds: float | None = None
    limit_memory: int | None = None
    limit_disk: int | None = None

    @property
    def table(self) -> LimitTable:
        """Limits as a scenario has them."""
        return LimitTable(
            states=self.limit_states,
            depth=self.limit_depth,
            seconds=self.limit_seconds,
            memory=self.limit_memory,
            disk=self.limit_disk,
        )


limit_states = click.option(
    "--limit-states",
    type=click.IntRange(min=1),
    help="End with the level that reaches this number of states.",
)

LIMITS_OF_RESOURCES = (limit_seconds, limit_memory, limit_disk)

resource_limit_options = option_group("limits", LimitOptions, LIMITS_OF_RESOURCES)
"""The limits that a resumed search may have: the others would change its report."""

limit_options = option_group(
    "limits",
    LimitOptions,
    (
        limit_states,
        click.option(
            "--limit-depth",
            type=click.IntRange(min=1),
            help="End with this level, the initial states being the first.",
        ),
        *LIMITS_OF_RESOURCES,
    ),
)

question_limit_options = option_group(
    "limits", LimitOptions, (limit_states, limit_seconds)
)
"""The limits of a question, which may take several searches."""
