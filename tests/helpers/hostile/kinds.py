"""The kinds of hostile inputs by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from hostile.attacks import Attack
from hostile.hostile_commands import (
    hostile_arguments,
    hostile_caches,
    hostile_run_folders,
    hostile_suites,
    hostile_traces,
)
from hostile.hostile_models import hostile_models
from hostile.hostile_observations import hostile_logs, hostile_observations
from hostile.hostile_questions import hostile_conformance, hostile_questions

KINDS: Mapping[str, Callable[[], st.SearchStrategy[Attack]]] = {
    "arguments": hostile_arguments,
    "questions": hostile_questions,
    "conformance": hostile_conformance,
    "suites": hostile_suites,
    "models": hostile_models,
    "traces": hostile_traces,
    "run folders": hostile_run_folders,
    "mutants": hostile_caches,
    "observations": hostile_observations,
    "logs": hostile_logs,
}
