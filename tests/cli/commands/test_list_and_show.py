"""``replicheck list`` and ``show``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.messages import require_message
from command_line.own_models import EXAMPLES, imports_of, run
from replicheck.cli.main import main
from replicheck.cli.reports.text.catalogue_text import ListKind
from replicheck.cli.reports.text.name_text import name_lines
from replicheck.cli.tasks.engines import ENGINES
from replicheck.invariants.catalogue.rules import rules
from shipped import CATALOGUE

SYSTEMS = tuple(CATALOGUE.systems.values())


def output(*arguments: str) -> str:
    """The output of a command that succeeds."""
    done = CliRunner().invoke(main, arguments, obj=CATALOGUE)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_list_names_everything_that_can_be_chosen() -> None:
    """Whatever an argument or option takes by name is in the list of all kinds."""
    listed = output("list", *(w for kind in ListKind for w in ("--kind", kind.value)))
    names = [*CATALOGUE.suites, *CATALOGUE.scenarios, *ENGINES]
    for system in CATALOGUE.systems.values():
        names += [*system.protocols_by_name, *system.predicates]
    assert [name for name in names if name not in listed] == []


def test_the_list_is_short_unless_more_is_wanted() -> None:
    """Scenarios stand under their model; the properties take --kind."""
    listed = output("list")
    assert "\nScenarios of cluster:\n  aborted-request-" in listed
    assert "Witnesses of cluster" not in listed
    assert "Not listed: mutations, reductions, properties " in listed
    assert "Witnesses of cluster" in output("list", "--kind", "properties")


def test_the_list_of_what_has_a_text() -> None:
    """The number of a KIP finds its scenarios, whatever they are called."""
    rows = [line for line in output("list", "--match", "kip-461").splitlines() if line]
    names = [line for line in rows if line.startswith("  ")]
    assert len(names) > 5
    assert [line for line in names if "kip-461" not in line.lower()] == []


def test_a_text_that_nothing_has() -> None:
    """It is told, and no section is there."""
    done = CliRunner().invoke(main, ["list", "--match", "zzz"])
    assert done.exit_code == 0
    assert done.stderr == 'nothing has "zzz" in its name or summary\n'
    assert "  " not in done.stdout


def test_a_kind_that_cannot_be_listed() -> None:
    """The message names the kinds."""
    done = CliRunner().invoke(main, ["list", "--kind", "brokers"], obj=CATALOGUE)
    assert done.exit_code == 2
    assert "'suites', 'scenarios'" in done.stderr


@pytest.mark.parametrize("name", CATALOGUE.scenarios)
def test_show_explains_a_scenario(name: str) -> None:
    """Each property and each bound that is not 0 has a line; the others share one."""
    scenario = CATALOGUE.scenarios[name]
    lines = output("show", name).splitlines()
    described = {line.split()[0]: line for line in lines if line.startswith("  ")}
    allowed = {bound for bound, value in scenario.bounds.items() if value}
    for subject in (*allowed, *scenario.properties):
        assert len(described[subject].split()) > 1
    zero = described.get("(these", "").partition("are 0)")[2].replace(",", "")
    assert set(zero.split()) == scenario.bounds.keys() - allowed


def test_show_has_claims_about_runs_fairness_and_symmetry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A user finds there what --livelocks judges, and what --symmetry takes for one."""
    monkeypatch.chdir(EXAMPLES)
    shown = run("show", "lossy_link.py").stdout
    assert (
        "Claims about runs, judged with --livelocks:\n"
        "  is_asked_leads_to_is_done  Whenever: A request was asked for. Then, at some"
    ) in shown
    assert (
        "Fairness of these:\n"
        "  taken if enabled again and again  deliver, complete\n"
        "  may be left out for ever          ask, lose\n"
    ) in shown
    shown = run("show", "readers_writers.py").stdout
    assert "Ids that are alike, and what they index:\n  Process  holds\n" in shown
    assert "Fairness" not in shown


def test_show_leaves_out_what_the_bounds_exclude() -> None:
    """A scenario without crashes has no such action, and says how many it lacks."""
    shown = output("show", "leader-disk-fails")
    assert "without 61 that the bounds exclude" in shown
    assert "  fail_directory " in shown
    assert "  crash " not in shown
    assert len(shown.splitlines()) < 150


def test_show_says_what_bounds_mean() -> None:
    """As their classes say it: of a model made of others, those of each."""
    shown = output("show", "composed-late-cut")
    bounds = shown.partition("Bounds:")[2].partition("Initial states:")[0]
    assert "  `fetchers` is Kafka's `num.replica.fetchers`. " in bounds
    assert "`min_isr` is min.insync.replicas. " in bounds


def test_show_says_nothing_of_bounds_of_which_the_class_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What all classes of bounds are is no text about these."""
    with imports_of(tmp_path, monkeypatch):
        text = (EXAMPLES / "election.py").read_text("utf-8")
        said = next(line for line in text.splitlines() if "How many servers" in line)
        Path("silent.py").write_text(text.replace(said, ""), "utf-8")
        shown = run("show", "silent.py").stdout
    assert "\nBounds:\n  servers   3\n  terms     2\n  restarts  1\n\n" in shown


def test_show_an_unknown_scenario() -> None:
    """A wrong name gives the nearest right one."""
    done = CliRunner().invoke(main, ["show", "replicaton"], obj=CATALOGUE)
    assert done.exit_code == 151
    assert 'did you mean "replication"?' in done.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("default", "default is a suite of "),
        ("m-18-notify-before-marking", "`replicheck check m-18-notify-before-marking`"),
        ("kip-320", "kip-320 is a protocol: `replicheck show "),
        ("kip-320", "`replicheck show replication`"),
        ("cluster", "cluster is a model: its scenarios are aborted-request-"),
    ],
)
def test_show_what_is_no_scenario(name: str, message: str) -> None:
    """The message says what it is, and which command is for that."""
    done = CliRunner().invoke(main, ["show", name], obj=CATALOGUE)
    assert done.exit_code == 151
    assert message in done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("stored_isr_is_never_empty", "an invariant of cluster"),
        ("stored_isr_is_never_empty", "judged in: "),
        ("handle_leader_and_isr", "Source: ReplicaManager.becomeLeaderOrFollower."),
        ("handle_leader_and_isr", "model/composed/broker.py:"),
        ("C-LIR-1", "a rule of cluster, modelled"),
        ("KAFKA-9087", "its shortest run: replicheck check kafka-9087-"),
        ("no_deadlock", "an invariant of every model"),
        ("INV-8", "elected_leader_was_in_isr: a step property of cluster"),
        ("kinv-1", "controller_memory_is_log_end: an invariant of kraft"),
        ("KAFKA-9539", "its shortest run: replicheck check kafka-9539-"),
    ],
)
def test_show_a_property_an_action_a_rule_a_bug(name: str, said: str) -> None:
    """Each is said with its docstring and its place, of every model that has it."""
    assert said in output("show", name)


def test_a_number_that_no_property_has() -> None:
    """The nearest that one has is named, and no rule of another kind."""
    done = CliRunner().invoke(main, ["show", "INV-99"], obj=CATALOGUE)
    require_message(done, 151, 'did you mean "INV-9"?')


@pytest.mark.parametrize("name", ["C-LIR-1", "stored_isr_is_never_empty"])
def test_dependencies_of_what_is_no_scenario(name: str) -> None:
    """The message does not suggest the name that was given."""
    done = CliRunner().invoke(main, ["show", name, "--dependencies"], obj=CATALOGUE)
    require_message(done, 151, f"--dependencies is of a scenario, and {name} is none")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "kafka-9087"], "KAFKA-9087: "),
        (["show", "skip-redundant-responses"], "a reduction of cluster"),
        (["bugs", "KAFKA-9087"], "KAFKA-9087: "),
        (["rules", "c-lir-1"], "C-LIR-1: a rule of cluster, modelled"),
    ],
)
def test_one_entry_of_a_list(words: list[str], said: str) -> None:
    """Its name is found in lower case, too."""
    assert said in output(*words)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["bugs", "KAFKA-9078"], 151, 'did you mean "KAFKA-9087"?'),
        (["rules", "C-LIR-99"], 151, 'did you mean "C-LIR-'),
        (["rules", "C-LIR-1", "--markdown"], 2, "is of the whole list"),
        (["show", "C-LIR"], 151, "reduction, rule or bug"),
    ],
)
def test_a_wrong_name_of_an_entry(words: list[str], code: int, message: str) -> None:
    """The message has the nearest right one."""
    done = CliRunner().invoke(main, words, obj=CATALOGUE)
    assert done.exit_code == code
    assert message in done.stderr


def test_each_near_name_is_said_once() -> None:
    """An id of several mutants is one name."""
    done = CliRunner().invoke(main, ["mutants", "nope"], obj=CATALOGUE)
    near = done.stderr.partition(": ")[2].split("; ")[1].split(": ")[1].split(", ")
    assert len(near) == len(set(near)) > 1


@pytest.mark.parametrize(
    "names",
    [
        [predicate for system in SYSTEMS for predicate in system.predicates],
        [
            action.__name__
            for system in SYSTEMS
            for protocol in system.protocols
            for action in protocol.actions
        ],
        [rule.id for rule in rules()],
        [*CATALOGUE.bugs],
    ],
    ids=["properties", "actions", "rules", "bugs"],
)
def test_something_is_said_of_every_name(names: list[str]) -> None:
    """No property, action, rule or bug is without lines."""
    sampled = sorted(set(names))[::40]
    assert [name for name in sampled if not name_lines(CATALOGUE, name)] == []


@pytest.mark.parametrize("command", [[], ["check"], ["trace", "show"]])
def test_the_short_option_for_help(command: list[str]) -> None:
    """Every command has it."""
    assert output(*command, "-h") == output(*command, "--help")


def test_the_version() -> None:
    """The command says which version it is."""
    assert output("--version").startswith("replicheck ")


@pytest.mark.parametrize("command", ["bugs", "mutants", "rules"])
def test_one_form_at_a_time(command: str) -> None:
    """Standard output has JSON or a page, not whichever came first."""
    done = CliRunner().invoke(
        main, [command, "--json", "-", "--markdown"], obj=CATALOGUE
    )
    assert done.exit_code == 2
    assert "--json and --markdown cannot both be standard output" in done.stderr


def test_a_picture_is_called_what_it_is() -> None:
    """No other kind of picture is written than SVG."""
    options = ["--dependencies", "--output", "matrix.png"]
    done = CliRunner().invoke(main, ["show", "replication", *options], obj=CATALOGUE)
    assert done.exit_code == 2
    assert "--output: matrix.png does not end in .svg" in done.stderr


@pytest.mark.parametrize("reference", ["s2", "KIP-112 scenario 2"])
def test_a_source_shows_its_scenarios(reference: str) -> None:
    """The number that KIP-112 gives a scenario finds those with another name."""
    shown = output("show", reference).splitlines()
    assert "leader-disk-fails: A leader's disk fails (KIP-112 scenario 2, s2)" in shown
    assert not any("scenario 1" in line for line in shown)
    assert "  leader-disk-fails " in output("list", "--match", reference)
