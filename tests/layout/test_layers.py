"""No import cycle anywhere, and no Kafka word in the engine.

Which package may import which is checked by import-linter; see setup.cfg.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from checkout import ROOT

PACKAGES = ("model", "invariants", "explorer", "traces", "cli")

# An underscore ends a word, so that `broker_id` counts; so does a capital.
KAFKA_WORD = re.compile(
    r"(?<![a-z])"
    r"(kafka|brokers?|replicas?|partition[ _]+leaders?|isrs?|zookeeper|controllers?)"
    r"(?![a-z])",
    re.IGNORECASE,
)
CAPITAL_IN_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def module_name(file: Path) -> str:
    """Return the import name of a file of the checkout."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(("replicheck", *parts)).removesuffix(".__init__")


def all_modules() -> dict[str, str]:
    """Return the source of every module by import name."""
    files = [file for top in PACKAGES for file in (ROOT / top).rglob("*.py")]
    return {module_name(file): file.read_text(encoding="utf-8") for file in files}


def imported_names(source: str) -> Iterator[str]:
    """Yield what a source imports, at its top level and inside functions.

    ``from a import b`` gives ``a.b``, which may or may not be a module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A relative import would escape the graph.
            assert node.level == 0, f"relative import: {ast.unparse(node)}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def import_graph(modules: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which of the modules each module imports."""
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, source in modules.items():
        for imported in imported_names(source):
            parent = imported.rpartition(".")[0]
            graph[name].update([m for m in (imported, parent) if m in modules][:1])
    return graph


def find_cycle(modules: Mapping[str, str]) -> list[str]:
    """Return the modules of one import cycle, or nothing."""
    try:
        TopologicalSorter(import_graph(modules)).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


def kafka_words(text: str) -> list[str]:
    """Return the Kafka words of a text, also those inside identifiers."""
    return KAFKA_WORD.findall(CAPITAL_IN_WORD.sub(" ", text))


def test_no_import_cycle() -> None:
    """Every module can be read after the modules that it imports."""
    assert find_cycle(all_modules()) == []


def test_a_cycle_through_a_function_is_found() -> None:
    """An import inside a function closes a cycle like any other."""
    modules = {
        "replicheck.a": "import replicheck.b",
        "replicheck.b": "def f():\n    from replicheck.a import g",
    }
    assert set(find_cycle(modules)) == {"replicheck.a", "replicheck.b"}


def test_every_package_is_in_the_import_graph() -> None:
    """The search for cycles sees each of the packages."""
    tops = {name.split(".")[1] for name in all_modules()}
    assert tops == set(PACKAGES)


def test_the_explorer_has_no_kafka_word() -> None:
    """The engine explores any model: no file of it speaks of Kafka."""
    found = {
        str(file.relative_to(ROOT)): words
        for file in (ROOT / "explorer").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
        if (words := kafka_words(f"{file.name}\n{file.read_text(encoding='utf-8')}"))
    }
    assert found == {}


def test_kafka_words_are_found_inside_identifiers() -> None:
    """Neither an underscore nor a capital hides a Kafka word."""
    text = "broker_id, LeaderAndIsr, Partition leader"
    assert kafka_words(text) == ["broker", "Isr", "Partition leader"]


def test_the_words_of_the_engine_are_allowed() -> None:
    """The frontier is partitioned, and the project has a name."""
    assert kafka_words("replicheck partitions its frontier; replication") == []
