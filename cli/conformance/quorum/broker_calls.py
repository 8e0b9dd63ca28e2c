"""The steps of brokers of `kraft` as calls of the harness with all brokers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.harness.process import Command
from replicheck.cli.conformance.quorum import quorum_calls
from replicheck.cli.conformance.quorum.quorum_calls import NONE, SHUTDOWN
from replicheck.model.kraft.broker.isr import TO_SEND_AGAIN
from replicheck.model.kraft.cells.alter_partition import AlterPartitionError
from replicheck.model.vocabulary import BrokerId


def commands(step: ModelStep) -> Iterator[Command]:
    """Yield the calls that are a step: of the controller, then of brokers."""
    of_controller = quorum_calls.command(step)
    if of_controller is not None:
        yield of_controller
    translate = TRANSLATIONS.get(step.action)
    if translate is not None:
        yield translate(step)
    if step.action in SHUTDOWN and _ends(step, step.arguments["broker"]):
        yield Command("shut_down", {"broker": step.arguments["broker"]})
    if step.action == "handle_assignment" and _is_refused(step):
        yield Command("answer_assignment", {"broker": step.arguments["broker"]})
    yield from _epochs(step)


def _epochs(step: ModelStep) -> Iterator[Command]:
    """Yield what processes learn of their broker epochs."""
    for broker, process in enumerate(step.after.processes):
        before = step.before.processes[broker]
        if not process.is_running or not before.is_running:
            continue
        if process.epoch != before.epoch:
            epoch = NONE if process.epoch is None else process.epoch
            yield Command("learn_epoch", {"broker": broker, "epoch": epoch})


def _of_broker(name: str) -> Callable[[ModelStep], Command]:
    return lambda step: Command(name, {"broker": step.arguments["broker"]})


def _ends(step: ModelStep, broker: BrokerId) -> bool:
    """Tell whether the process of a broker ends by a step."""
    is_running = step.after.processes[broker].is_running
    return step.before.processes[broker].is_running and not is_running


def _is_refused(step: ModelStep) -> bool:
    """Tell whether an assignment is answered at once, since it is refused."""
    return bool(step.after.assignments[step.arguments["broker"]].is_free())


def _publish(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    image = step.after.processes[broker].published
    return Command("publish", {"broker": broker, "image": image})


def _lose_tail(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    end = step.after.logs[broker].end_offset
    return Command("lose_tail", {"broker": broker, "end": end})


def _append(step: ModelStep) -> Command:
    told = {"broker": step.arguments["leader"], "record": step.before.next_record}
    return Command("append", told)


def _fetch(name: str) -> Callable[[ModelStep], Command]:
    def translated(step: ModelStep) -> Command:
        follower = step.arguments["follower"]
        leader = step.before.partitions[follower].leader
        return Command(name, {"broker": follower, "leader": leader})

    return translated


def _receive_answer(step: ModelStep) -> Command:
    follower = step.arguments["follower"]
    leader = step.before.fetchers[follower].answer.leader
    return Command("use_answer", {"broker": follower, "leader": leader})


def _cut_log(step: ModelStep) -> Command:
    follower = step.arguments["follower"]
    leader = step.before.fetchers[follower].cut.leader
    return Command("cut", {"broker": follower, "leader": leader})


def _expand(step: ModelStep) -> Command:
    told = {
        "broker": step.arguments["leader"],
        "follower": step.arguments["follower"],
    }
    return Command("expand", told)


def _shrink(step: ModelStep) -> Command:
    leader = step.arguments["leader"]
    staying = step.after.partitions[leader].proposed - {leader}
    return Command("shrink", {"broker": leader, "staying": sorted(staying)})


def _complete(step: ModelStep) -> Command:
    leader = step.arguments["leader"]
    answer = step.before.channels[leader].answer
    is_lost = answer is AlterPartitionError.NOT_CONTROLLER
    error = answer.value if is_lost else ""
    again = int(answer in TO_SEND_AGAIN)
    return Command("complete", {"broker": leader, "error": error, "again": again})


def _fail_directory(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    told = {"broker": broker, "directory": step.arguments["directory"]}
    return Command("fail_directory", {**told, "ends": int(_ends(step, broker))})


def _with_arguments(name: str) -> Callable[[ModelStep], Command]:
    return lambda step: Command(name, dict(step.arguments))


TRANSLATIONS: Mapping[str, Callable[[ModelStep], Command]] = {
    "publish_metadata": _publish,
    "apply_no_op_record": _of_broker("publish_no_ops"),
    "crash": _of_broker("crash"),
    "stop_with_unreported_directory": _of_broker("crash"),
    "restart": _of_broker("restart"),
    "lose_tail": _lose_tail,
    "append": _append,
    "fetch": _fetch("fetch"),
    "answer_late": _fetch("ask"),
    "receive_answer": _receive_answer,
    "cut_log": _cut_log,
    "expand_isr": _expand,
    "shrink_isr": _shrink,
    "handle_alter_partition_response": _complete,
    "fail_directory": _fail_directory,
    "remove_directory": _with_arguments("remove_directory"),
    "alter_replica_log_dirs": _with_arguments("move"),
    "copy_to_future_log": _of_broker("copy"),
    "promote_future_log": _of_broker("promote"),
    "send_assignment": _of_broker("send_assignment"),
    "receive_assignment_answer": _of_broker("answer_assignment"),
}
"""Actions of brokers, with the calls that they are."""
