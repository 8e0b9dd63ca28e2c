"""Runs as regression tests for pytest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pprint import pformat

from replicheck.traces.json_lines import Header

WIDTH = 84


def regression_test(
    header: Header,
    steps: Iterable[str],
    models: Sequence[str] = (),
    claims: Sequence[str] = (),
) -> str:
    """A test module that takes a run again, and fails once it violates no more.

    Args:
        header: of the saved run.
        steps: the labels of its steps, as `labels` gives them.
        models: the file of the model, if it is one of the user's own.
        claims: the files of properties of the user's own.
    """
    subject = "_".join([header.scenario, header.protocol, header.property or "run"])
    name = re.sub(r"\W+", "_", subject.partition("(")[0]).strip("_").lower()
    ending = "VIOLATES" if header.kind else "KEEPS"
    verb = "still violates its property" if header.kind else "can still be taken"
    return TEMPLATE.format(
        title=f"A run of {header.scenario} under {header.protocol}.",
        header=_described(header),
        steps=_lines(steps),
        code=_code(models, claims),
        more=", MODELS, CLAIMS" if models or claims else "",
        name=name,
        verb=verb,
        instance=header.instance or "nothing breaks",
        ending=ending,
    )


TEMPLATE = '''\
"""{title}"""

from __future__ import annotations

from replicheck.cli.saved_traces.regression import replay_steps
from replicheck.traces.json_lines import Header
from replicheck.traces.replay.replay import Ending

HEADER = Header(
{header}
)
STEPS = (
{steps}
)
{code}

def test_{name}() -> None:
    """The run {verb}: {instance}."""
    found = replay_steps(HEADER, STEPS{more})
    assert found.ending is Ending.{ending}, found
'''


CODE = """\
# Code of your own that the test runs; paths are seen from where pytest is started.
MODELS = {models}
CLAIMS = {claims}
"""


def _described(header: Header) -> str:
    given = {
        "scenario": header.scenario,
        "model": header.model,
        "protocol": header.protocol,
        "bounds": dict(header.bounds),
        "property": header.property,
        "kind": header.kind,
        "instance": header.instance,
        "initial": header.initial,
        "setup": header.setup,
        "reductions": header.reductions,
        "loop": header.loop,
    }
    return "\n".join(
        f"    {name}={pformat(value, width=WIDTH)},"
        for name, value in given.items()
        if value not in ("", (), None)
    )


def _code(models: Sequence[str], claims: Sequence[str]) -> str:
    """What runs besides the code of replicheck itself."""
    if not models and not claims:
        return ""
    return CODE.format(models=pformat([*models]), claims=pformat([*claims]))


def _lines(steps: Iterable[str]) -> str:
    return "\n".join(f'    "{step}",' for step in steps)
