"""Measures models as users write them: sets, records, queues, loops and questions.

``python bench/own_models.py [RUNS]`` checks ``examples/async_isr.py`` in each way of
writing it, with 2,835,580 states. It prints the median of the CPU seconds of whole
processes, and what share that is of a way in which every cell is a value with questions
and operations. The ways with a queue have 570,460 states, and are measured against each
other; so are those of Paxos, whose messages are cells or in a set: 76,313 states. The
last rows check the loops over a set of messages with further options, but for one: a
network of messages that all arrive or are lost, with 360,618 states, one of a bag of at
most four messages, with 329,936, and Raft with a bag of at most three, with 923,522.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from attrs import frozen

ROOT = Path(__file__).parent.parent
PLAIN = ROOT / "examples" / "async_isr.py"
BOUNDS = "max_offset=4,max_version=5"
PAXOS = ROOT / "examples" / "paxos.py"
LOSSY = ROOT / "bench" / "systems" / "lossy_replication.py"
RAFT = ROOT / "bench" / "systems" / "raft.py"
ANY_MESSAGE = "any message arrives or is lost"
PAXOS_MESSAGES = ROOT / "bench" / "systems" / "paxos_messages.py"
MESSAGES_ARE_CELLS = "Paxos, a cell for each message"
ASKED_QUEUE = "a queue with questions and operations"
Edits = dict[str, str]


def fields(kind: str, empty: str) -> Edits:
    """Edits that give both sets of messages another class."""
    return {
        f"{name}: frozenset[StoredIsr] = frozenset()": f"{name}: {kind} = {empty}"
        for name in ("requests", "updates")
    }


QUESTIONS: Edits = {
    "Model, State": "Model, Set, State",
    **fields("Set[StoredIsr]", "Set()"),
    "self.updates | {update}": "self.updates.add(update)",
    "request in s.requests": "s.requests.has(request)",
    "s.requests | {request}": "s.requests.add(request)",
    "update in s.updates": "s.updates.has(update)",
}
LOOPS: Edits = {
    "(s: System, request: StoredIsr)": "(s: System)",
    "(s: System, update: StoredIsr)": "(s: System)",
    "    if request in s.requests and request.version == s.controller.version:\n": (
        "    for request in sorted(s.requests, key=repr):\n"
        "      if request.version == s.controller.version:\n"
    ),
    "    if update in s.updates and update.version > s.leader.version:\n": (
        "    for update in sorted(s.updates, key=repr):\n"
        "      if update.version > s.leader.version:\n"
    ),
}
SET_IN_RECORD: Edits = {
    "class System": (
        "class Messages(Value):\n    items: frozenset[StoredIsr] = frozenset()\n\n\n"
        "class System"
    ),
    **fields("Messages", "Messages()"),
    "self.updates | {update}": "Messages(self.updates.items | {update})",
    "request in s.requests": "request in s.requests.items",
    "s.requests | {request}": "Messages(s.requests.items | {request})",
    "update in s.updates": "update in s.updates.items",
}
RECORDS: Edits = {
    "class System": (
        "class Leader(StoredIsr):\n    pending: Isr = Isr()\n\n\nclass System"
    ),
    "    leader: StoredIsr\n    pending: Isr\n": "    leader: Leader\n",
    "self.leader.isr | self.pending": "self.leader.isr | self.leader.pending",
    "System(all_isr, all_isr, Isr(),": "System(all_isr, Leader(all_isr.isr),",
    "pending=s.pending | isr": "leader=s.leader.evolve(pending=s.leader.pending | isr)",
    "leader=update, pending=Isr()": "leader=Leader(update.isr, update.version)",
}
QUEUE: Edits = {
    "Model, State": "Model, Queue, State",
    "updates: frozenset[StoredIsr] = frozenset()": (
        "updates: Queue[StoredIsr] = Queue()"
    ),
    "self.updates | {update}": "self.updates.append(update)",
    "(s: System, update: StoredIsr)": "(s: System)",
    "    if update in s.updates and update.version > s.leader.version:\n": (
        "    if s.updates.has_items():\n        update = s.updates.first()\n"
    ),
    "leader=update, pending=Isr()": (
        "leader=update, pending=Isr(), updates=s.updates.pop()"
    ),
}
TUPLE_IN_RECORD: Edits = QUEUE | {
    "self.updates | {update}": "Queue(self.updates.items + (update,))",
    "    if update in s.updates and update.version > s.leader.version:\n": (
        "    if s.updates.items:\n        update = s.updates.items[0]\n"
    ),
    "leader=update, pending=Isr()": (
        "leader=update, pending=Isr(), updates=Queue(s.updates.items[1:])"
    ),
}
COPIES: Edits = {
    "import Bounds": "import Bag, Bounds",
    "Messages = frozenset[Append | Answer]": "Messages = Bag[Append | Answer]",
    "sorted(s.network, key=repr)": "sorted(s.network.where(), key=repr)",
    "s.network | {Append(backup, number)}": "s.network.add(Append(backup, number))",
    "s.network - {message}": "s.network.remove(message)",
    "rest |= {Answer(backup, number)}": "rest = rest.add(Answer(backup, number))",
    "@model.constraint\n": "",
    "    for number in range(1, s.written + 1):\n": (
        "    if not s.network.has_room(s.size.in_flight):\n        return\n"
        "    for number in range(1, s.written + 1):\n"
    ),
}
MESSAGES_ASKED: Edits = {
    "Model, State": "Model, Set, State",
    "Messages = frozenset[Message]\n": (
        "class Messages(Set[Message]):\n"
        "    def of(self, kind: str, ballot: int) -> frozenset[Message]:\n"
        "        asked = (kind, ballot)\n"
        "        return frozenset(\n"
        "            m for m in self.items if (m.kind, m.ballot) == asked\n"
        "        )\n"
    ),
    "[m for m in messages if (m.kind, m.ballot) == (kind, ballot)]": (
        "list(messages.of(kind, ballot))"
    ),
    's.messages | {Message("prepare", ballot)}': (
        's.messages.add(Message("prepare", ballot))'
    ),
    "s.messages | {told}": "s.messages.add(told)",
    "s.messages | {proposal}": "s.messages.add(proposal)",
    "s.messages | {accepted}": "s.messages.add(accepted)",
    'Message("prepare", ballot) in s.messages': (
        's.messages.has(Message("prepare", ballot))'
    ),
    "accepted not in s.messages": "not s.messages.has(accepted)",
}


MESSAGES_CHOSEN: Edits = MESSAGES_ASKED | {
    "Messages = frozenset[Message]\n": (
        "class Messages(Set[Message]):\n"
        "    def of(self, kind: str, ballot: int) -> frozenset[Message]:\n"
        "        return self.where(kind=kind, ballot=ballot)\n"
    ),
}
ACCEPTORS_ARE_ALIKE: Edits = {
    "    acceptor: int = -1\n": "    acceptor: Acceptor | None = None\n",
    'Ballot: "ballots"})\n': (
        'Ballot: "ballots"})\nmodel.symmetric(Acceptor, "highest", "votes")\n'
    ),
}
ACCEPTED_IN_THE_END: Edits = {
    "\n\n@model.always": (
        "\n\ndef is_sent(s: Paxos, ballot: Ballot) -> bool:\n"
        '    return bool(of(s.messages, "prepare", ballot))\n\n\n'
        "def is_accepted(s: Paxos, ballot: Ballot) -> bool:\n"
        "    later = (b for b in range(ballot, 3))\n"
        '    return any(of(s.messages, "accepted", b) for b in later)\n\n\n'
        "model.leads_to(is_sent, is_accepted)\n\n\n@model.always"
    ),
}


def claimed(claim: str) -> Edits:
    """Edits that add an invariant."""
    function = f"def is_claimed(s: Paxos) -> bool:\n    return {claim}\n"
    return {"\n\n@model.always": f"\n\n@model.always\n{function}\n\n@model.always"}


MESSAGES_ARE_FEW = claimed("len(s.messages) <= 24")
PROPOSALS_AGREE = claimed(
    "all(m.vote == n.vote for m in s.messages for n in s.messages"
    ' if m.kind == "proposal" and n.kind == "proposal" and m.ballot == n.ballot)'
)


@frozen
class Way:
    """A way of writing a model, and the one that it is measured against."""

    name: str
    edits: Edits
    against: str = "questions and operations"
    file: Path = PLAIN
    bounds: str = BOUNDS
    options: tuple[str, ...] = ()


def of_paxos(
    name: str, edits: Edits, file: Path = PAXOS_MESSAGES, *options: str
) -> Way:
    """A way of writing Paxos, and options of its check."""
    return Way(name, edits, MESSAGES_ARE_CELLS, file, "ballots=3", options)


def looping(edits: Edits, *options: str) -> Way:
    """Paxos with loops over a set of messages, checked with options."""
    return of_paxos(" ".join(["the same,", *options]), edits, PAXOS_MESSAGES, *options)


WAYS = (
    Way("questions and operations", QUESTIONS),
    Way("frozensets, a message as a parameter", {}),
    Way("frozensets, loops over messages", LOOPS),
    Way("frozensets in records", SET_IN_RECORD),
    Way("a record with two sets, and evolve", RECORDS),
    Way(ASKED_QUEUE, QUEUE, ASKED_QUEUE),
    Way("a queue, its tuple read and written", TUPLE_IN_RECORD, ASKED_QUEUE),
    of_paxos(MESSAGES_ARE_CELLS, {}, PAXOS),
    of_paxos("Paxos, a set of messages asked by `where`", MESSAGES_CHOSEN),
    of_paxos("Paxos, a set of messages, own questions", MESSAGES_ASKED),
    of_paxos("Paxos, loops over a set of messages", {}),
    of_paxos("the same, and how many there are", MESSAGES_ARE_FEW),
    of_paxos("the same, and a claim about pairs", PROPOSALS_AGREE),
    Way(ANY_MESSAGE, {}, ANY_MESSAGE, LOSSY, "backups=2"),
    Way("the same, a bag of copies", COPIES, ANY_MESSAGE, LOSSY, "in_flight=4"),
    Way("Raft, a bag of messages", {}, ANY_MESSAGE, RAFT, "in_flight=3"),
    looping({}, "--fingerprints", "exact"),
    looping({}, "--reduce", "--reduce-beyond", "0"),
    looping(ACCEPTED_IN_THE_END, "--livelocks"),
    looping(ACCEPTORS_ARE_ALIKE, "--symmetry"),
)


def written(way: Way) -> str:
    """The model in a way of writing.

    Raises:
        SystemExit: if the example no longer has what is replaced.
    """
    text = way.file.read_text("utf-8")
    for old, new in way.edits.items():
        text, count = re.subn(re.escape(old), new.replace("\\", r"\\"), text)
        if not count:
            raise SystemExit(f"{way.name}: {way.file.name} has no {old!r}")
    return text


def runs(way: Way, count: int) -> Iterator[tuple[str, float]]:
    """The states found, and the CPU seconds, of each check."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "written.py"
        file.write_text(written(way), "utf-8")
        words = ["check", str(file), "--no-cache", "--bounds", way.bounds]
        for _ in range(count):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [sys.executable, "-m", "replicheck.cli", *words, *way.options],
                capture_output=True,
                text=True,
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            (states,) = re.findall("visited all ([0-9,]+) states", done.stdout)
            yield (
                states,
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            )


def main(count: int) -> None:
    """Print a line for each way."""
    medians: dict[str, float] = {}
    for way in WAYS:
        found = list(runs(way, count))
        medians[way.name] = median(seconds for _, seconds in found)
        share = medians[way.name] / medians[way.against]
        print(
            f"{way.name:43} {found[0][0]:>9} states"
            f" {medians[way.name]:5.2f} s CPU {share:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
