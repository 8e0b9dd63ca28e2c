"""The pytest plugin: a suite file is a module of tests, each entry one of them.

Files are suites whose name matches the ini option ``replicheck_suites``, and TOML files
that are named on the command line.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from replicheck.cli.results.result import Result
    from replicheck.cli.runs.searches import Searches
    from replicheck.cli.tasks.task import Task

PATTERNS = ["*suite.toml"]


class ScenarioFailed(Exception):
    """A scenario is not as it should be; the message has the run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of suites."""
    group = parser.getgroup("replicheck")
    group.addoption(
        "--replicheck-engine", metavar="NAME", help="How to search the scenarios."
    )
    group.addoption(
        "--replicheck-threads",
        type=int,
        metavar="N",
        help="Search with so many threads instead of one for each core.",
    )
    group.addoption(
        "--replicheck-reduce",
        action="store_true",
        help="Leave out steps that change the order of others only.",
    )
    group.addoption(
        "--replicheck-no-cache",
        action="store_true",
        help="Search anew even if an equal search was done before.",
    )
    group.addoption(
        "--replicheck-traces",
        type=Path,
        default=Path("counterexamples"),
        metavar="DIR",
        help="Where to save the run to each violation.",
    )
    parser.addini(
        "replicheck_suites",
        "Patterns of the names of suite files.",
        type="args",
        default=PATTERNS,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse an engine that is not there, and a number of threads that cannot be.

    Raises:
        pytest.UsageError: saying what can be.
    """
    threads = config.getoption("--replicheck-threads")
    if threads is not None and threads < 1:
        raise pytest.UsageError(
            f"--replicheck-threads: {threads} is less than 1, the smallest number"
        )
    engine = config.getoption("--replicheck-engine")
    if engine is not None:
        from replicheck.cli.tasks.engines import ENGINES

        if engine not in ENGINES:
            known = ", ".join(ENGINES)
            raise pytest.UsageError(f"--replicheck-engine: {engine} is none of {known}")


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect suite files."""
    if file_path.suffix != ".toml":
        return None
    patterns = parent.config.getini("replicheck_suites")
    is_named = parent.session.isinitpath(file_path)
    if is_named or any(fnmatch(file_path.name, pattern) for pattern in patterns):
        found: pytest.Collector = SuiteFile.from_parent(parent, path=file_path)
        return found
    return None


class SuiteFile(pytest.File):
    """A suite file. Entries that share their states are searched once."""

    _searches: Searches | None = None
    _folder: Path | None = None

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield a test for each entry.

        Raises:
            ScenarioError: if the file is wrong.
        """
        # Nothing of ours is imported before there is a suite.
        from replicheck.cli.tasks.option_support import require_supported_options
        from replicheck.cli.tasks.task import tasks
        from replicheck.invariants.catalogue.catalogue import Catalogue

        path = _relative(self.path)
        for task in tasks(Catalogue.shipped(), (path,), _choices(self.config)):
            require_supported_options(task)
            scenario = task.scenario
            number = task.entry.number if task.entry else 1
            name = f"check[{number}-{scenario.name}-{scenario.protocol}]"
            item: ScenarioItem = ScenarioItem.from_parent(self, name=name)
            item.task = task
            yield item

    def result(self, item: ScenarioItem) -> Result:
        """The result of an entry."""
        from replicheck.cli.runs.trace_files import save_traces

        items = [item for item in self.session.items if item.parent is self]
        if self._searches is None:
            self._searches = self._begin([item.task for item in items])  # type: ignore[attr-defined]
        found = self._searches.result(items.index(item))
        return save_traces(found, self.config.getoption("--replicheck-traces"))

    def _begin(self, tasks: list[Task]) -> Searches:
        from replicheck.cli.runs.result_cache import NoCache, ResultCache
        from replicheck.cli.runs.searches import Searches
        from replicheck.explorer.engine import CheckpointSettings, unwatched

        folder = self._folder = Path(tempfile.mkdtemp(prefix="replicheck-"))

        def keep(number: int, task: Task) -> CheckpointSettings:
            """Leave the search room on the disk, and keep no checkpoint."""
            return CheckpointSettings(
                folder / f"task-{number}", float("inf"), task.recipe
            )

        ignores_cache = self.config.getoption("--replicheck-no-cache")
        cache = NoCache() if ignores_cache else ResultCache()
        return Searches(tasks, cache, unwatched, keep)

    def teardown(self) -> None:
        """Remove what searches left on the disk."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """The error of the file in one message."""
        from click import ClickException

        from replicheck.invariants.catalogue.errors import ScenarioError

        if isinstance(excinfo.value, ScenarioError):
            return str(excinfo.value)
        if isinstance(excinfo.value, ClickException):
            return excinfo.value.format_message()
        return super().repr_failure(excinfo)


class ScenarioItem(pytest.Item):
    """An entry of a suite."""

    task: Task

    def runtest(self) -> None:
        """Fail if the entry is not as it should be.

        Raises:
            ScenarioFailed: with the run.
            KeyboardInterrupt: if Ctrl-C ended the search.
        """
        from replicheck.cli.results.run_summary import assess
        from replicheck.cli.testing import problem

        assert isinstance(self.parent, SuiteFile)
        result = self.parent.result(self)
        if result.was_interrupted:
            raise KeyboardInterrupt
        assessment = assess(result)
        text = "\n".join([assessment.coverage, *assessment.notes])
        self.add_report_section("call", "replicheck", text)
        self.user_properties += [
            ("verdict", result.report.verdict.value),
            ("states", result.report.states),
            ("cached", result.is_cached),
        ]
        message = problem(assessment)
        if message:
            raise ScenarioFailed(message)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """The run rather than a traceback."""
        from replicheck.explorer.errors import ModelError

        if isinstance(excinfo.value, ScenarioFailed | ModelError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file and the name of the entry."""
        return self.path, None, self.name


def _choices(config: pytest.Config) -> Any:
    from replicheck.cli.tasks.engine_settings import Counting, Settings
    from replicheck.cli.tasks.engines import DEFAULT_ENGINE
    from replicheck.cli.tasks.task import Overrides

    engine = config.getoption("--replicheck-engine") or DEFAULT_ENGINE
    threads = config.getoption("--replicheck-threads") or 0
    is_reduced = config.getoption("--replicheck-reduce")
    counting = Counting.REDUCED if is_reduced else Counting.ALL
    return Overrides(engine, settings=Settings(counting, threads=threads))


def _relative(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
