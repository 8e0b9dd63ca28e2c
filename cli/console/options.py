"""The values of options: bounds, sizes, and files that can be written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from replicheck.cli.console.output import STANDARD_OUTPUT, reserve_if_asked
from replicheck.traces.run_text import RunDetail

TRACES = Path("counterexamples")
"""Where commands save runs, unless the user names another folder."""
MOST_DIGITS = 18
"""The longest number of an option; more does not fit into 64 bits."""
MOST_SIZE = 2**50
"""The largest size, in bytes."""
MOST_THREADS = 1_024
"""More than the cores of any machine."""
MASTER = re.compile(
    r"local(\[(\d+|\*)(\s*,\s*\d+)?\])?"
    r"|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]|yarn|[\w+.-]+://.+"
)
"""What Spark takes for a master, whether it is started or not."""
UNITS = {
    "": 1,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
    "TI": 2**40,
}


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option ``--json -``, which it takes as ``as_json``."""
    option = click.option(
        "--json",
        "as_json",
        metavar=STANDARD_OUTPUT,
        callback=_is_asked_for,
        help="Write JSON to stdout, given as -.",
    )
    return option(command)


def require_one_form(as_json: bool, markdown: bool) -> None:
    """Refuse two forms of what standard output is to have.

    Raises:
        click.UsageError: if both are asked for.
    """
    if as_json and markdown:
        raise click.UsageError("--json and --markdown cannot both be standard output")


def _is_asked_for(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> bool:
    if value not in (None, STANDARD_OUTPUT):
        raise click.UsageError("--json: give - for standard output")
    return reserve_if_asked(context, parameter, value) is not None


class FiniteRange(click.FloatRange):
    """A number within a range, and neither infinite nor undefined."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: Any
    ) -> float:
        """The number.

        Raises:
            click.BadParameter: if it is none, or not in the range.
        """
        number = float(super().convert(value, parameter, context))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", parameter, context)
        return number


def bounds(text: str) -> dict[str, object]:
    """Bounds such as ``brokers=2,log_size=3`` as a mapping.

    A value that is no number stays a text; the reader of the bounds refuses it.

    Raises:
        click.BadParameter: if the text is of another form, or has a key twice.
    """
    pairs = [pair.partition("=") for pair in text.split(",")]
    found: dict[str, object] = {}
    for name, equals, value in pairs:
        key = name.strip()
        if not key or not equals:
            raise click.BadParameter(f"{text!r} is not of the form key=value,...")
        if key in found:
            raise click.BadParameter(f"{text!r} has {key} twice")
        found[key] = _number(value.strip())
    return found


def _number(text: str) -> object:
    if re.fullmatch(r"[+-]?\d+", text) is None:
        return text
    if len(text) > MOST_DIGITS:
        raise click.BadParameter(
            f"it has a number of {len(text):,} digits, expected at most {MOST_DIGITS}"
        )
    return int(text)


def reductions(text: str) -> tuple[str, ...]:
    """Names of reductions such as ``one,two``; ``none`` is no name.

    Raises:
        click.BadParameter: if a name is empty.
    """
    if text == "none":
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise click.BadParameter(f"{text!r} is not of the form name,...")
    return names


def threads_option(summary: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--threads`` with a summary for the help."""
    return click.option(
        "--threads", type=click.IntRange(min=1, max=MOST_THREADS), help=summary
    )


def steps_option(
    most: int, default: int, summary: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--steps`` of random walks, with a summary for the help."""
    return click.option(
        "--steps",
        type=click.IntRange(min=1, max=most),
        default=default,
        show_default=True,
        help=summary,
    )


def time_option(summary: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--time`` of random walks, in seconds, with a summary."""
    return click.option(
        "--time", "seconds", type=FiniteRange(min=0, min_open=True), help=summary
    )


def size(text: str) -> int:
    """Size such as ``500M``, ``1.5G`` or ``2GiB`` as a number of bytes.

    Raises:
        click.BadParameter: if the text is of another form, or less than a byte.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?", text.upper(), re.ASCII)
    if found and found[2] in UNITS and len(found[1]) <= MOST_DIGITS:
        bytes_meant = int(Decimal(found[1]) * UNITS[found[2]])
        if bytes_meant > MOST_SIZE:
            raise click.BadParameter(f"{text!r} is more than 1024 TiB")
        if bytes_meant:
            return bytes_meant
    raise click.BadParameter(f"{text!r} is no size such as 500M, 1.5G or 2GiB")


def master_url(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> str | None:
    """Master of Spark, if there is one.

    Raises:
        click.BadParameter: if Spark would take no such master.
    """
    if text is None or MASTER.fullmatch(text):
        return text
    raise click.BadParameter(
        f"{text!r} is no master of Spark, such as local[4], yarn or spark://host:7077"
    )


changed_reductions = click.option(
    "--step-reductions",
    "reductions",
    type=reductions,
    metavar="NAME,...",
    help="Take these steps together, as `replicheck show` names them; all, or none.",
)
spark_master = click.option(
    "--master",
    metavar="URL",
    callback=master_url,
    help="The Spark that does the work, such as local[4] or spark://host:7077.",
)
limit_seconds = click.option(
    "--limit-seconds",
    type=FiniteRange(min=0, min_open=True),
    help="End after this time.",
)
limit_memory = click.option(
    "--limit-memory",
    type=size,
    metavar="SIZE",
    help="Go on on the disk, slower, when it takes more; 75 % of what is free by"
    " default.",
)
limit_disk = click.option(
    "--limit-disk",
    type=size,
    metavar="SIZE",
    help="End when checkpoint and search take more of the disk.",
)
json_file = click.option(
    "--json",
    "json_path",
    metavar="FILE",
    callback=reserve_if_asked,
    help="Write a JSON report; - is stdout.",
)
saved_files = click.argument(
    "paths",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)


def traces_folder(purpose: str) -> Callable[..., Any]:
    """Option ``--traces``: the folder in which a command saves runs."""
    return click.option(
        "--traces",
        type=click.Path(path_type=Path),
        default=TRACES,
        show_default=True,
        metavar="DIR",
        help=purpose,
    )


output_file = click.option(
    "--output",
    default=STANDARD_OUTPUT,
    callback=reserve_if_asked,
    show_default=True,
    metavar="FILE",
    help="Where to write it; - is standard output.",
)


def _run_detail(
    _context: click.Context, _option: click.Parameter, is_full: bool
) -> RunDetail:
    """Detail of the runs that are printed."""
    return RunDetail.FULL if is_full else RunDetail.STEPS


full_runs = click.option(
    "--full",
    "runs",
    is_flag=True,
    callback=_run_detail,
    help="Print of each run the first and the last state, and what each step changed,"
    " not only a line for each step.",
)
