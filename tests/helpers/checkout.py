"""The folders of the checkout that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GALLERY = ROOT / "traces" / "gallery"
INVARIANTS = ROOT / "invariants"
GOLDEN_FILES = ROOT / "tests" / "golden"
HELPERS = ROOT / "tests" / "helpers"
SCHEMAS = ROOT / "tests" / "schemas"
VECTOR_FILES = ROOT / "tests" / "vectors"
OBSERVATIONS = ROOT / "tests" / "observations"
CODE_FOLDERS = (
    "bench",
    "cli",
    "examples",
    "explorer",
    "invariants",
    "model",
    "tests",
    "traces",
)
"""The folders with Python modules."""
