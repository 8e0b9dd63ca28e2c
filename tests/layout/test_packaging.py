"""The lists of package folders (setup.cfg, import links, disk) agree."""

from __future__ import annotations

import configparser
from pathlib import Path

from checkout import ROOT

LINKS = ROOT / ".imports" / "replicheck"
NEVER_INSTALLED = {"tests", "bench"}


def setup_options() -> configparser.SectionProxy:
    """The [options] section of setup.cfg."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    return config["options"]


def top_folders() -> set[Path]:
    """The top-level package folders of the checkout."""
    found = {file.parent for file in ROOT.glob("[!.]*/__init__.py")}
    return {folder for folder in found if folder.name not in NEVER_INSTALLED}


def folders_with_code() -> set[Path]:
    """Every folder with a Python file, such as ``model/replication``."""
    return {file.parent for top in top_folders() for file in top.rglob("*.py")}


def import_name(folder: Path) -> str:
    """The name under which a folder of the checkout is imported."""
    return ".".join(("replicheck", *folder.relative_to(ROOT).parts))


PUBLIC = {"replicheck.modelling": "model/modelling/public"}
"""Folders that have a name for users besides the one of their place."""


def test_setup_cfg_lists_every_package_folder() -> None:
    """A folder missing from ``packages`` would be missing after installation."""
    listed = setup_options()["packages"].split()
    names = [*map(import_name, folders_with_code()), *PUBLIC]
    assert sorted(listed) == sorted(names)


def test_setup_cfg_maps_every_top_level_folder() -> None:
    """Each import name in ``package_dir`` stands for the folder of that name."""
    lines = setup_options()["package_dir"].strip().splitlines()
    mapped = dict(line.replace(" ", "").split("=") for line in lines)
    tops = {import_name(folder): folder.name for folder in top_folders()}
    assert mapped == tops | PUBLIC


def test_import_links_lead_to_every_top_level_folder() -> None:
    """Type checkers see each top-level folder through its link."""
    links = {link.name: link.resolve() for link in LINKS.iterdir() if link.is_symlink()}
    public = {name.partition(".")[2]: ROOT / path for name, path in PUBLIC.items()}
    assert links == {folder.name: folder for folder in top_folders()} | public


def test_every_package_folder_has_an_init_file() -> None:
    """A folder without ``__init__.py`` would be imported as something else."""
    without = {f for f in folders_with_code() if not (f / "__init__.py").is_file()}
    assert without == set()


def test_every_package_declares_its_types() -> None:
    """Another project's type checker reads our types only with ``py.typed``."""
    without = {top for top in top_folders() if not (top / "py.typed").is_file()}
    assert without == set()


def test_data_is_installed() -> None:
    """Each pattern of files besides code has a line, for setuptools splits by lines."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = config["options.package_data"]["*"].split("\n")
    assert "**/*.toml" in patterns
    assert not [pattern for pattern in patterns if "," in pattern]
