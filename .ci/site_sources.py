"""Hook of MkDocs: what the site has besides the pages in docs/.

Files of the repository that pages link to are in the folder ``source``, the pages of
Kafka's bugs, which ``replicheck bugs --pages`` writes before, in the folder ``bugs``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SECTION = "Bugs of Kafka"
BUGS = ROOT / "build" / "site" / "bugs"
OUTSIDE = re.compile(r"\]\(((?:\.\./)+)((?!\.\.)[^)#]+)")
"""A link that leaves a folder, and where it leads from there."""


def on_config(config: Any) -> Any:
    """Add the pages of bugs to the navigation.

    Raises:
        PluginError: if they were not written.
    """
    from mkdocs.exceptions import PluginError

    if not (BUGS / "index.md").is_file():
        raise PluginError(f"{BUGS} has no pages: run `make docs-site`")
    section = next(part[SECTION] for part in config.nav if SECTION in part)
    pages = sorted(page.name for page in BUGS.glob("*.md"))
    pages.remove("index.md")
    section += [f"bugs/{name}" for name in ("index.md", *pages)]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of bugs, and what is linked to outside of docs/."""
    from mkdocs.structure.files import File

    for path in sorted(BUGS.iterdir()):
        content = path.read_text("utf-8")
        files.append(File.generated(config, f"bugs/{path.name}", content=content))

    for page in ROOT.glob("docs/**/*.md"):
        for path in _outside(page):
            uri = f"source/{path}.txt"
            if files.get_file_from_path(uri) is None:
                content = (ROOT / path).read_text("utf-8")
                files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Let links that leave docs/ lead to the files in ``source``."""
    folder = Path(config.docs_dir, page.file.src_uri).parent
    back = "../" * page.file.src_uri.count("/")

    def link(found: re.Match[str]) -> str:
        path = _in_repository(folder, found[1] + found[2])
        return found[0] if path is None else f"]({back}source/{path}.txt"

    return OUTSIDE.sub(link, markdown)


def _outside(page: Path) -> list[str]:
    found = OUTSIDE.findall(page.read_text("utf-8"))
    paths = [_in_repository(page.parent, up + rest) for up, rest in found]
    return [path for path in paths if path is not None]


def _in_repository(folder: Path, link: str) -> str | None:
    """Path of a file outside of docs/ from the root; None for a page."""
    target = (folder / link).resolve()
    if target.is_relative_to(ROOT / "docs") or not target.is_file():
        return None
    return target.relative_to(ROOT).as_posix()
