"""Mutants for the page of a run: its own, and those that another run found."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from replicheck.cli.console.errors import BadInput
from replicheck.cli.results.result import Result
from replicheck.explorer.runtime.bounded_files import parse_json, read_bounded
from replicheck.traces.printable_text import has_control_character

Mutants = Sequence[Mapping[str, Any]]


def with_own(known: Mutants, results: Sequence[Result]) -> list[Mapping[str, Any]]:
    """The mutants that results are of, and the others that are known."""
    own = [mutant for result in results for mutant in _of(result)]
    names = {mutant["name"] for mutant in own}
    return [*own, *(mutant for mutant in known if mutant["name"] not in names)]


def _of(result: Result) -> Iterator[Mapping[str, Any]]:
    """Yield the mutant that a result is of, if it is of one."""
    name, report = result.task.scenario.protocol, result.report
    protocol = result.task.system.protocols_by_name[name]
    if protocol.original is None:
        return
    # Imported only here: most results are of no mutant.
    from replicheck.invariants.catalogue.rules import RULE_ID

    texts = [inspect.getdoc(changed) or "" for changed in protocol.changes]
    caught = report.violations[0] if report.violations else None
    yield {
        "name": name,
        "rule": ", ".join(dict.fromkeys(RULE_ID.findall(" ".join(texts)))),
        "status": "killed" if caught else "alive" if result.exhausted else "undecided",
        "property": caught.property if caught else "",
        "length": len(caught.trace.states) if caught else None,
    }


def read_mutants(path: str) -> Mutants:
    """The mutants of a file.

    Raises:
        BadInput: if it cannot be read, or is no such file.
    """
    try:
        mutants: Mutants = parse_json(read_bounded(Path(path)))["mutants"]
    except OSError as error:
        raise BadInput(f"--mutants: {path} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError):
        raise _no_mutant_results(path) from None
    if not isinstance(mutants, list) or not all(map(_is_mutant, mutants)):
        raise _no_mutant_results(path)
    return mutants


def _is_mutant(mutant: object) -> bool:
    """Tell whether a value has the keys of a mutant, printable texts and a length."""
    match mutant:
        case {
            "name": str(name),
            "rule": str(rule),
            "status": str(status),
            "property": str(claim),
            "length": int() | None,
        }:
            texts = (name, rule, status, claim)
            return not any(map(has_control_character, texts))
    return False


def _no_mutant_results(path: str) -> BadInput:
    return BadInput(
        f"--mutants: {path} does not hold mutants; expected what"
        " `replicheck mutants --json -` writes"
    )
