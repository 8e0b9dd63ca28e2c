"""Rule references: how a docstring names the rules that a function models."""

from __future__ import annotations

import re

PART = re.compile(r"Rules:(.*?)(?:Source:|\n\s*\n|$)", re.DOTALL)
"""Where a docstring names rules."""
RULE_ID = re.compile(r"\b[A-Z](?:-[A-Z]+)*(?:-[0-9]+)?\b(?=[,.;\s]|$)")
"""The id of a rule, such as ``B-CTRL`` or ``C-LIR-1``."""
