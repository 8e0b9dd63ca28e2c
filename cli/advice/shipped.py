"""The results that are shipped: tables that were computed once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from replicheck.cli.advice.configuration import Configuration, FaultSet
from replicheck.cli.advice.table import AdviceTable, Row

FILE = Path(__file__).parent / "results.json"


@frozen
class ShippedResults:
    """Tables, and the digest of the code of the model that they were computed from."""

    digest: str
    tables: tuple[AdviceTable, ...]

    def table(self, configuration: Configuration) -> AdviceTable | None:
        """The table of a configuration; None if there is none."""
        for table in self.tables:
            if table.configuration == configuration:
                return table
        return None


def read_results(path: Path = FILE) -> ShippedResults:
    """The results in a file."""
    body = json.loads(path.read_text("utf-8"))
    tables = (_table(entry) for entry in body["tables"])
    return ShippedResults(body["digest"], tuple(tables))


def _table(entry: dict[str, Any]) -> AdviceTable:
    rows: dict[FaultSet, Row] = {}
    for row in entry["rows"]:
        faults = tuple(row["faults"])
        runs = {question: tuple(steps) for question, steps in row["runs"].items()}
        asked = tuple(row["asked"])
        rows[faults] = Row(faults, asked, row["states"], row["is_complete"], runs)
    return AdviceTable(Configuration(**entry["configuration"]), rows)


def results_text(digest: str, tables: Iterable[AdviceTable]) -> str:
    """Results as a file has them."""
    entries = [
        {
            "configuration": asdict(table.configuration),
            "rows": [asdict(row) for row in table.rows.values()],
        }
        for table in tables
    ]
    body = {"digest": digest, "tables": entries}
    return json.dumps(body, indent=1) + "\n"
