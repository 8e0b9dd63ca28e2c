"""Topics that are created anew and brokers that are taken out, beside Kafka 4.1.1."""

from __future__ import annotations

from click.testing import CliRunner

from command_line.harnesses import needs
from command_line.kraft_harness import VERSION, taken
from replicheck.cli.conformance.lockstep import Ending
from replicheck.cli.main import main


def test_a_topic_is_created_anew_on_brokers() -> None:
    """Its replicas are other ones, with logs of their own."""
    run = """
    append(leader=0)
    delete_topic
    create_topic [3]
    append_no_op_record
    publish_metadata(broker=0) [2]
    publish_metadata(broker=1) [2]
    apply_no_op_record(broker=0)
    append(leader=0)
    fetch(follower=1)
    """
    bounds = {"brokers": 2, "records": 2, "topic_deletions": 1, "topic_creations": 1}
    outcome = taken(run, bounds | {"no_op_records": 1})
    assert outcome.ending is Ending.SAME
    partition = outcome.kafka["brokers"]["broker 1"]["partition"]
    assert (partition["topic"], partition["log"]) == (1, [[1, 0]])


def test_a_topic_that_came_and_went_keeps_a_broker_from_its_image() -> None:
    """Kafka looks for it in order to clear its ELR (KAFKA-19497)."""
    run = """
    delete_topic
    create_topic [1]
    delete_topic
    change_min_isr [1]
    publish_metadata(broker=0) [4]
    """
    bounds = {"brokers": 2, "topic_deletions": 2, "topic_creations": 1}
    outcome = taken(run, bounds | {"min_isr_changes": 1})
    assert outcome.ending is Ending.KNOWN
    assert outcome.kafka["brokers"]["broker 0"]["failed publications"] > 0


def test_a_broker_that_is_taken_out_is_told_nothing() -> None:
    """It leads until it learns of it from the metadata."""
    run = """
    unregister_broker(broker=0)
    publish_metadata(broker=1)
    append(leader=1)
    publish_metadata(broker=0)
    """
    bounds = {"brokers": 2, "min_isr": 1, "unregistrations": 1}
    outcome = taken(run, bounds)
    assert outcome.ending is Ending.SAME


def test_a_topic_with_two_partitions_is_not_created() -> None:
    """The message names both bounds."""
    needs(VERSION)
    bounds = "topic_deletions=1,topic_creations=1,first_partition_replicas=1"
    command = ["conform", "kraft-topic-is-created-anew", "--bounds", bounds]
    done = CliRunner().invoke(main, [*command, "--kafka", VERSION])
    assert done.exit_code == 151, done.output
    assert "topic_creations=1,first_partition_replicas=1: the har" in done.output
