"""The rules: each has one status, and every id in a docstring is a rule."""

from __future__ import annotations

import json
import tomllib

import pytest
from click.testing import CliRunner

from checkout import DOCS, INVARIANTS
from replicheck.cli.main import main
from replicheck.invariants.catalogue.rules import (
    functions_by_rule,
    models_with_rules,
    rules,
)

MODELS = models_with_rules()
DATA = {
    model: tomllib.loads((INVARIANTS / model / "rules.toml").read_text("utf-8"))
    for model in MODELS
}


@pytest.mark.parametrize("model", MODELS)
def test_a_docstring_names_only_rules(model: str) -> None:
    """An id with a slip of the pen would count for nothing."""
    assert set(functions_by_rule(model)) <= set(DATA[model]["ids"])


@pytest.mark.parametrize("model", MODELS)
def test_every_rule_is_once_in_the_data(model: str) -> None:
    """A rule without a function has a reason, and one with a function no other."""
    modelled, data = set(functions_by_rule(model)), DATA[model]
    reasons = [*data["merged"], *data["left-out"], *data["not-yet-modelled"]]
    assert len(data["ids"]) == len(set(data["ids"]))
    assert sorted([*modelled, *reasons]) == sorted(data["ids"])
    assert set(data["partly"]) <= modelled


def test_a_rule_names_file_and_function() -> None:
    """So that it is found with one look."""
    (rule,) = [rule for rule in rules() if rule.id == "C-LIR-2"]
    assert rule.where == (
        "model/cluster/controller/events.py:handle_leader_and_isr_response",
    )


def test_the_command_lists_every_rule() -> None:
    """As text with the counts at the end, and as JSON."""
    text = CliRunner().invoke(main, ["rules"])
    assert text.exit_code == 0
    assert text.output.rstrip().splitlines()[-1].endswith("not-yet-modelled")
    document = json.loads(CliRunner().invoke(main, ["rules", "--json", "-"]).output)
    listed = [rule for data in DATA.values() for rule in data["ids"]]
    assert [rule["id"] for rule in document["rules"]] == listed
    assert set(document["rules"][0]) == {"model", "id", "status", "where", "reason"}


def test_the_page_is_current() -> None:
    """`make docs` writes it anew."""
    page = (DOCS / "rules.md").read_text("utf-8")
    assert CliRunner().invoke(main, ["rules", "--markdown"]).output == page
