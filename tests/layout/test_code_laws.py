"""The laws of layout and names hold everywhere but where the allowance list says so."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from checkout import ROOT
from code_laws.folders import (
    MOST_LINES,
    MOST_MODULES,
    code_in_init,
    crowded_folders,
    long_modules,
    repeated_class_names,
    repeated_module_names,
)
from code_laws.imports import folder_cycles, module_cycles, relative_imports
from code_laws.names import (
    docstrings_of_return,
    loops_over_each,
    pronoun_parameters,
    raises_of_unknown_errors,
    returns_of_bool_calls,
)
from code_laws.source import TOPS, Module, Offence, modules_of

Law = Callable[[Sequence[Module]], Iterator[Offence]]

ALLOWANCES = tomllib.loads(Path(__file__).with_name("allowances.toml").read_text())
"""For each law how many offences a file or folder may have for the time being."""

OFFENDERS: dict[Law, Mapping[str, str]] = {
    crowded_folders: {
        f"model/module_{number}.py": "" for number in range(MOST_MODULES + 1)
    },
    long_modules: {"cli/main.py": "pass\n" * (MOST_LINES + 1)},
    repeated_module_names: {
        "explorer/tables/rows.py": "",
        "explorer/frontier/rows.py": "",
    },
    repeated_class_names: {
        "model/log.py": "class Log: ...",
        "model/shared/log_end.py": "class Log: ...",
    },
    code_in_init: {"traces/__init__.py": '"""Traces."""\nimport os'},
    folder_cycles: {
        "cli/runs/a.py": "import replicheck.cli.reports.b",
        "cli/reports/b.py": "def f():\n    from replicheck.cli.runs.a import g",
    },
    module_cycles: {
        "cli/a.py": "import replicheck.cli.b",
        "cli/b.py": "def f():\n    from replicheck.cli import a",
    },
    relative_imports: {"explorer/model.py": "from . import errors"},
    loops_over_each: {"cli/main.py": "print([each for each, _ in ()])"},
    pronoun_parameters: {"traces/page.py": "def page(*, several): ..."},
    docstrings_of_return: {"tests/test_f.py": 'def f():\n    """Return a number."""'},
    raises_of_unknown_errors: {
        "cli/f.py": 'def f():\n    """Fail.\n    Raises:\n        Failed: so.\n    """'
    },
    returns_of_bool_calls: {"invariants/p.py": "def p():\n    return bool(1 > 0)"},
}
"""For each law a tree that breaks it."""

WITHIN_THE_LAW: dict[Law, Mapping[str, str]] = {
    crowded_folders: {
        f"model/{name}.py": ""
        for name in ("__init__", *(f"module_{n}" for n in range(MOST_MODULES)))
    },
    long_modules: {"cli/main.py": "pass\n" * MOST_LINES},
    repeated_module_names: {
        "explorer/engines/simulation/engine.py": "",
        "explorer/engines/reference/engine.py": "",
        "model/raft/leader.py": "",
        "model/raft/mutations/leader.py": "",
        "model/zab/leader.py": "",
        "invariants/raft/system.py": "",
        "invariants/zab/system.py": "",
    },
    repeated_class_names: {
        "model/raft/state.py": "class Log: ...",
        "model/zab/state.py": "class Log: ...",
        "invariants/raft/system.py": "",
        "invariants/zab/system.py": "",
        "cli/log.py": "class Log: ...",
    },
    code_in_init: {
        "traces/__init__.py": '"""Traces."""',
        "model/modelling/public/__init__.py": (
            '"""Public."""\nfrom replicheck.model import log\n__all__ = ["log"]'
        ),
    },
    folder_cycles: {
        "cli/runs/a.py": "import replicheck.cli.reports.b",
        "cli/reports/b.py": "import replicheck.cli.console.c",
    },
    module_cycles: {
        "cli/a.py": "import replicheck.cli.b",
        "cli/b.py": "from replicheck.cli import c",
    },
    relative_imports: {"explorer/model.py": "from replicheck.explorer import errors"},
    loops_over_each: {"cli/main.py": "print([name for name, _ in ()])"},
    pronoun_parameters: {"traces/page.py": "def __eq__(self, other): ..."},
    docstrings_of_return: {"tests/test_f.py": 'def f():\n    """Returned goods."""'},
    raises_of_unknown_errors: {
        "cli/f.py": 'def f():\n    """Fail.\n    Raises:\n        OSError: so.\n    """'
    },
    returns_of_bool_calls: {
        "cli/p.py": "def p():\n    return bool(1 > 0)",
        "model/p.py": "def p():\n    return 1 > 0",
    },
}
"""For each law a tree that only seems to break it."""

LAWS = [pytest.param(law, id=law.__name__) for law in OFFENDERS]


@cache
def checkout() -> Sequence[Module]:
    """The modules of this checkout, parsed once."""
    return modules_of(ROOT)


def tree(files: Mapping[str, str]) -> list[Module]:
    """Modules that lie in no folder of this machine."""
    return [Module(PurePosixPath(path), text) for path, text in files.items()]


def allowances(law: Law) -> Counter[str]:
    """How many offences the list lets each file or folder have."""
    return Counter(ALLOWANCES.get(law.__name__, {}))


@pytest.mark.parametrize("law", LAWS)
def test_no_offence_but_those_that_are_allowed(law: Law) -> None:
    """A new offence is removed, not allowed."""
    offences = list(law(checkout()))
    keys = Counter(offence.key for offence in offences) - allowances(law)
    assert [offence.detail for offence in offences if offence.key in keys] == []


@pytest.mark.parametrize("law", LAWS)
def test_no_allowance_that_is_needed_no_more(law: Law) -> None:
    """The list only gets shorter: what was removed loses its allowance."""
    keys = Counter(offence.key for offence in law(checkout()))
    assert dict(allowances(law) - keys) == {}


@pytest.mark.parametrize("law", LAWS)
def test_a_law_can_be_broken(law: Law) -> None:
    """On a tree that breaks it the law says where."""
    assert len(list(law(tree(OFFENDERS[law])))) == 1


@pytest.mark.parametrize("law", LAWS)
def test_a_law_lets_pass_what_is_right(law: Law) -> None:
    """A tree that only looks like an offence has none."""
    assert list(law(tree(WITHIN_THE_LAW[law]))) == []


def test_laws_see_every_folder() -> None:
    """No top folder of the checkout is left out, and none is empty."""
    tops = {module.top for module in checkout()}
    assert tops == {*TOPS}
    packages = {init.parent.name for init in ROOT.glob("[!.]*/__init__.py")}
    assert packages <= tops


def test_allowances_are_of_laws() -> None:
    """No section of the list is of a law that is none."""
    assert ALLOWANCES.keys() <= {law.__name__ for law in OFFENDERS}
