"""Without Java, a jar or a network there is one message and its own exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from command_line.harnesses import FIRST, needs, session
from command_line.messages import require_message
from replicheck.cli.commands.conform import DEFAULT_VERSION
from replicheck.cli.conformance import session as conformance_session
from replicheck.cli.conformance.harness import artifacts
from replicheck.cli.conformance.harness.artifacts import REPOSITORY, artifacts_of
from replicheck.cli.conformance.harness.compilation import Program
from replicheck.cli.main import main
from replicheck.explorer.runtime.digest import sha256

UNREACHABLE = "http://127.0.0.1:9/maven"
GREETING = """#!/bin/sh
read -r hello
echo '{"kafka": "2.5.1", "commands": []}'
"""
"""A harness that shakes hands."""
WITHOUT_MEMORY = """
while read -r command; do
  echo '{"error": "heap space", "kind": "java.lang.OutOfMemoryError", "trace": ""}'
done
"""
"""What it answers if it has no memory for a run."""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a Java that is never run, and without jars, Maven or a cache."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(REPOSITORY, raising=False)
    return tmp_path


def refused() -> str:
    """The one line that the command ends with."""
    done = CliRunner().invoke(main, ["conform", "fetching-two-brokers-change-roles"])
    assert done.exit_code == 69, done.output
    (line,) = done.output.strip().splitlines()
    return line


@pytest.mark.usefixtures("bare")
def test_without_java_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PATH has none, and JAVA_HOME is not set."""
    monkeypatch.delenv("JAVA_HOME")
    assert "and there is none: install one, or set JAVA_HOME" in refused()


@pytest.mark.usefixtures("bare")
def test_a_wrong_java_home_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes before the Java of PATH, so that is not looked for."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    line = refused()
    assert "need Java 11 or newer, and JAVA_HOME is /nowhere, and there is no" in line
    assert "/nowhere/bin/java: set it to the folder of a Java, or unset it" in line


def test_only_a_folder_that_is_named_must_take_runs(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default one need not: there may be no run to save, and Java is looked for."""
    monkeypatch.chdir(bare)
    Path("counterexamples").touch()
    assert "Install Maven (mvn)" in refused()
    command = ["conform", "fetching-two-brokers-change-roles", "--traces"]
    done = CliRunner().invoke(main, [*command, "counterexamples"])
    require_message(done, 2, "--traces: counterexamples is no directory")


@pytest.mark.usefixtures("bare")
def test_without_maven_the_message_names_a_jar() -> None:
    """Nothing says where the jars are to come from."""
    line = refused()
    assert "Install Maven (mvn)" in line
    assert artifacts_of(FIRST)[0].coordinates in line


@pytest.mark.usefixtures("bare")
def test_without_a_network_the_message_names_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A repository that no connection reaches."""
    monkeypatch.setenv(REPOSITORY, UNREACHABLE)
    line = refused()
    assert f"{UNREACHABLE}/" in line
    assert "cannot be downloaded" in line


def test_without_a_home_the_message_says_what_to_set(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor an entry of the user that has one."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert "there is no home directory" in refused()
    monkeypatch.setenv("XDG_CACHE_HOME", str(bare / "cache"))
    assert "Install Maven (mvn)" in refused()


@pytest.mark.parametrize("name", ["", "conformance", "conformance/jars"])
def test_a_cache_that_others_can_write(bare: Path, name: str) -> None:
    """Java runs what is in it, so nothing of it is used."""
    folder = bare / "cache" / "replicheck" / name
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert "can be written by other users: make it yours alone with `chmod go-w" in (
        refused()
    )


@pytest.fixture
def cached(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the jars of a version, whose digests are those of empty files."""
    empty = sha256(b"").hex()
    listed = [evolve(a, digest=empty) for a in artifacts_of(DEFAULT_VERSION)]
    monkeypatch.setattr(artifacts, "artifacts_of", lambda version: tuple(listed))
    jars = bare / "cache" / "replicheck" / "conformance" / "jars"
    jars.mkdir(parents=True)
    for artifact in listed:
        (jars / artifact.file_name).touch(0o600)
    return jars / listed[-1].file_name


def test_a_jar_that_others_can_write(cached: Path) -> None:
    """It is not used; another is fetched."""
    cached.chmod(0o666)
    assert "1 jars of Kafka are needed" in refused()


def test_a_jar_that_is_damaged_in_the_cache(cached: Path) -> None:
    """Its digest is compared at each start, so that another is fetched."""
    cached.write_bytes(b"damaged")
    assert "1 jars of Kafka are needed" in refused()


def test_maven_that_is_offline_is_told_by_its_first_error(bare: Path) -> None:
    """What mvn says is in the message, but for its advice where to read more."""
    maven = bare / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(
        "#!/bin/sh\necho '[ERROR] '\n"
        "echo '[ERROR] Cannot access central in offline mode'\n"
        "echo '[ERROR] For more information, read the following articles'\nexit 1\n"
    )
    maven.chmod(0o755)
    line = refused()
    assert "mvn could not fetch the jars of Kafka: [ERROR] Cannot access" in line
    assert "For more information" not in line


def test_a_jar_of_another_content_is_refused(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a repository gives is checked by its digest before it is run."""
    for artifact in artifacts_of(FIRST):
        file = bare / "repository" / artifact.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"another")
    monkeypatch.setenv(REPOSITORY, (bare / "repository").as_uri())
    assert "came with another content than its digest" in refused()


@pytest.mark.usefixtures("bare")
def test_tests_are_skipped_by_the_name_of_the_version() -> None:
    """A test that needs a harness says which, and how to fetch it."""
    with pytest.raises(pytest.skip.Exception, match=f"no jars of Kafka {FIRST}"):
        needs(FIRST)


def test_a_known_difference_that_is_never_met_fails_where_all_are_asked_for() -> None:
    """An entry that explains nothing any more is to be taken out."""
    needs(FIRST)
    arguments = [
        "conform",
        "fetching-two-brokers-change-roles",
        "--walks",
        "1",
        "--all-known",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 10, done.output
    assert "never met: log-that-cannot-be-created" in done.output
    known = session(FIRST).register.entries
    others = [entry.name for entry in known if not entry.is_of(FIRST)]
    assert others
    assert not any(f"never met: {name}" in done.output for name in others)


@pytest.mark.parametrize(
    ("answer", "message"),
    [(WITHOUT_MEMORY, "no memory left for new"), ("", "the process ended")],
)
def test_a_harness_that_cannot_go_on_tells_no_mutant_apart(
    answer: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says nothing of Kafka, and the session ends."""
    java = tmp_path / "java"
    java.write_text(GREETING + answer, "utf-8")
    java.chmod(0o700)
    program = Program(java, "")
    monkeypatch.setattr(conformance_session, "program_for", lambda version: program)
    done = CliRunner().invoke(main, ["conform", "--mutants", "--kafka", FIRST])
    assert done.exit_code == 69, done.output
    assert message in done.output
    assert "told apart  " not in done.output
