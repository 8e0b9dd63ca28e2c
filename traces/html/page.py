"""Pages: a template, styles and scripts from this folder, put together as one file.

The page allows itself nothing from any network, and only the scripts and styles in it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib import resources
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from replicheck.explorer.runtime.digest import sha256
from replicheck.traces.describer import Describer
from replicheck.traces.formats.repetition import repetition_of
from replicheck.traces.html.content import run_content
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.html.observed_lane import with_observed
from replicheck.traces.json_lines import SavedTrace
from replicheck.traces.observed import FURTHER
from replicheck.traces.printable_text import printable_line

PACKAGE = "replicheck.traces.html"
SUFFIXES = (".html", ".css", ".js")


def trace_page(saved: SavedTrace, describer: Describer, glossary: Glossary) -> str:
    """A trace as the text of one HTML file."""
    header = saved.header
    run = run_content(saved.trace, describer, glossary, repetition_of(saved))
    content = {
        **with_observed(run, header.observed),
        "observations": saved.observations and [[], *saved.observations],
        "steps_seen": [
            sum(
                _is_further(seen) is answer for seen in saved.observations or () if seen
            )
            for answer in (False, True)
        ],
        "verdict": {
            "property": printable_line(header.property),
            "kind": header.kind,
            "instance": printable_line(header.instance),
            "claim": glossary.claim,
        },
    }
    return page(
        "trace.html",
        files_of(PACKAGE),
        title=printable_line(header.title()),
        bounds=bounds_line(header.bounds),
        content=content,
    )


def _is_further(seen: tuple[str, ...]) -> bool:
    """Tell whether a step with something told of it is none of the run."""
    return seen[0].startswith(FURTHER)


def bounds_line(bounds: Mapping[str, int]) -> str:
    """Bounds in one line; those that are 0 are only said to be."""
    told = [f"{key} {value}" for key, value in bounds.items() if value]
    return ", ".join([*told, *(["all else 0"] if len(told) < len(bounds) else [])])


def page(template: str, files: Mapping[str, str], **values: Any) -> str:
    """A page: a template filled with the values that it names.

    Args:
        template: the name of its file.
        files: every template, style and script by the name of its file.
        values: what the template speaks of.
    """
    environment = Environment(
        loader=DictLoader(files), autoescape=True, undefined=StrictUndefined
    )
    environment.globals["text_of"] = lambda name: Markup(files[name])
    environment.globals["digest_of"] = lambda name: digest(files[name])
    return environment.get_template(template).render(**values)


def files_of(package: str) -> dict[str, str]:
    """The templates, styles and scripts in a package's folder, by name."""
    return {
        path.name: path.read_text("utf-8")
        for path in resources.files(package).iterdir()
        if path.name.endswith(SUFFIXES)
    }


def digest(text: str) -> str:
    """The source by which a content security policy allows a text."""
    found = sha256(text.encode())
    return f"'sha256-{base64.b64encode(found).decode()}'"
