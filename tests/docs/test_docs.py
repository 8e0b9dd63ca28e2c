"""What the documentation shows is true."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from check_jsonschema import main as check_jsonschema
from click import Context
from click.testing import CliRunner

from checkout import CODE_FOLDERS, DOCS, ROOT
from replicheck.cli.commands.check import check
from replicheck.cli.console.exit_codes import BY_SEVERITY, ExitCode
from replicheck.cli.main import main

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
EXTERNAL = re.compile(r"\w+:/?/[^)>\n]*(?=[)>])|\w+:/?/\S*")
HOSTS = {
    "arrow.apache.org",
    "docs.rs",
    "fizzbee.io",
    "github.com",
    "hypothesis.readthedocs.io",
    "keepachangelog.com",
    "p-org.github.io",
    "quint-lang.org",
    "semver.org",
    "spark.apache.org",
    "spinroot.com",
    "www.microsoft.com",
}
"""The hosts that pages link to; no test asks them."""
FILES_OF_READERS = {"FILE.py", "glob.py", "my.py", "other.py"}
LINK = re.compile(r"\]\(([^)#:]+)\)")
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
WORD = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")


def test_the_suite_of_the_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be read, and what it expects is found."""
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((DOCS / "tour.md").read_text("utf-8"))
    (suite,) = [text for language, text in blocks if language == "toml"]
    Path("my-suite.toml").write_text(suite, "utf-8")
    done = CliRunner().invoke(main, ["check", "my-suite.toml", "--engine", "naive"])
    assert done.exit_code == 0, done.output


def test_the_properties_of_the_tour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of invariants passes as it stands."""
    blocks = BLOCK.findall((DOCS / "tour.md").read_text("utf-8"))
    (text,) = [text for language, text in blocks if language == "python"]
    file = tmp_path / "test_zombies.py"
    file.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    asked = runpy.run_path(str(file))
    tests = [value for name, value in asked.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()


def test_every_page_can_be_found_from_the_readme() -> None:
    """It links to the index, which links to all other pages of docs/."""
    assert "](docs/index.md)" in (ROOT / "README.md").read_text("utf-8")
    links = set(LINK.findall((DOCS / "index.md").read_text("utf-8")))
    pages = {page.name for page in DOCS.glob("*.md")}
    assert pages - links == {"index.md"}


def test_the_readme_is_short() -> None:
    """It has at most 150 lines; the rest is in docs/."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 150


def test_the_commands_of_the_readme_exist() -> None:
    """Each word after `replicheck` is a command."""
    text = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"`replicheck (\w+)", text))
    assert len(named) > 8
    assert named <= set(main.list_commands(Context(main)))


@pytest.mark.parametrize("language", ["yaml", "groovy"])
def test_the_snippets_for_servers_have_real_options(language: str) -> None:
    """Each option of `replicheck check` in them is one."""
    blocks = BLOCK.findall((DOCS / "ci.md").read_text("utf-8"))
    (text,) = [text for known, text in blocks if known == language]
    options = set(re.findall(r"(?<= )--[a-z-]+", text))
    known = {name for option in check.params for name in option.opts}
    assert options
    assert options <= known


def test_the_workflows_are_those_of_github(tmp_path: Path) -> None:
    """The snippet of the docs and the project's own fit SchemaStore's schema."""
    blocks = BLOCK.findall((DOCS / "ci.md").read_text("utf-8"))
    (snippet,) = [text for language, text in blocks if language == "yaml"]
    good, bad = tmp_path / "good.yml", tmp_path / "bad.yml"
    good.write_text(snippet, "utf-8")
    bad.write_text(snippet.replace("steps:", "stepps:"), "utf-8")
    own = (ROOT / ".github" / "workflows").glob("*.yml")
    arguments = ["--builtin-schema", "vendor.github-workflows"]
    done = CliRunner().invoke(check_jsonschema, [*arguments, *map(str, (good, *own))])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(check_jsonschema, [*arguments, str(bad)]).exit_code == 1


def external_links(text: str) -> list[str]:
    """The links of a text, outside of code, that leave the repository."""
    return EXTERNAL.findall(CODE.sub("", text))


def test_external_links_are_well_formed() -> None:
    """Each is https, without spaces, and of a host that is named here."""
    pages = (*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md")
    links = [link for page in pages for link in external_links(page.read_text("utf-8"))]
    assert [link for link in links if not re.fullmatch(r"https://[!-~]+", link)] == []
    assert {urlsplit(link).netloc for link in links} == HOSTS


def test_links_that_are_not_well_formed_are_seen() -> None:
    """What is looked for takes more than is allowed."""
    text = "[a](http://a b) [c](ftp://d) <https:/e.org> at https://f `https://g`"
    assert external_links(text) == [
        "http://a b",
        "ftp://d",
        "https:/e.org",
        "https://f",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every link to a file of the repository has its file."""
    links = LINK.findall(page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    """The site has no page for a folder."""
    links = LINK.findall(page.read_text("utf-8"))
    assert [link for link in links if (page.parent / link).is_dir()] == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("kraft*.md")), ids=lambda p: p.name)
def test_a_page_that_names_suspicions_by_number_says_where_they_are(page: Path) -> None:
    """R-1 and the others are explained in one place."""
    text = page.read_text("utf-8")
    if re.search(r"\bR-\d", text):
        assert "#the-references-suspicions)" in text


@pytest.fixture(scope="module")
def sources() -> dict[str, set[str]]:
    """The names with an underscore in each file of the code, by its path."""
    return {
        f"/{file.relative_to(ROOT).as_posix()}": set(WORD.findall(file.read_text()))
        for folder in (".ci", *CODE_FOLDERS)
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".toml", ".js")
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_what_is_in_the_code(
    page: Path, sources: dict[str, set[str]]
) -> None:
    """Each file and function in Python, but for files of the reader's own."""
    text = page.read_text("utf-8")
    files = set(re.findall(r"`([\w./-]+\.py)`", text)) - FILES_OF_READERS
    assert [f for f in files if not any(s.endswith(f"/{f}") for s in sources)] == []
    names = set(re.findall(rf"`({WORD.pattern})`", text))
    assert names - set().union(*sources.values()) == set()


def test_bugs_are_shown_with_as_few_brokers_as_the_questions_say() -> None:
    """One of them needs four, which the page says."""
    assert "one has four brokers, and\nall others three at most" in (
        DOCS / "faq.md"
    ).read_text("utf-8")
    brokers = re.findall(r"\bbrokers=(\d+)", (DOCS / "bugs.md").read_text("utf-8"))
    assert sorted(map(int, brokers))[-2:] == [3, 4]


def test_the_page_of_exit_codes_has_all_in_order() -> None:
    """Every code is in the table, and the order is that of the program."""
    page = (DOCS / "exit-codes.md").read_text("utf-8")
    listed = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert sorted(map(int, listed)) == sorted(ExitCode)
    order = " · ".join(str(code.value) for code in BY_SEVERITY)
    assert f"\n{order}\n" in page
