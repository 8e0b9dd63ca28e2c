"""The lane of a real system on a page: what it had where the model differs."""

from __future__ import annotations

from typing import Any

from replicheck.traces.observed import Observed


def with_observed(content: dict[str, Any], observed: Observed | None) -> dict[str, Any]:
    """The content of a page with a lane more, and its cells in the last step."""
    if observed is None:
        return content
    first, lane = len(content["cells"]), observed.system
    cells = [
        {"name": f"{lane}: {name}", "family": lane, "lane": lane}
        for name in observed.cells
    ]
    changes = [
        {
            "cell": number,
            "new": values.real,
            "parts": [{"name": "", "old": values.model, "new": values.real}],
        }
        for number, values in enumerate(observed.cells.values(), start=first)
    ]
    *steps, last = content["steps"]
    return {
        **content,
        "lanes": [*content["lanes"], lane],
        "cells": [*content["cells"], *cells],
        "initial": [*content["initial"], *("as the model" for _ in cells)],
        "steps": [*steps, {**last, "changes": [*last["changes"], *changes]}],
    }
