package kafka.server

import java.io.File

import kafka.cluster.PartitionView
import org.apache.kafka.clients.ClientResponse
import org.apache.kafka.common.TopicIdPartition
import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.message.AlterPartitionResponseData
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.record.{FileRecords, MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests.{AlterPartitionResponse, RequestHeader}
import org.apache.kafka.storage.internals.log.AppendOrigin

import scala.collection.Map
import scala.jdk.CollectionConverters._

/** The steps of brokers of the model `kraft` as calls; docs/kraft.md has them as a table. */
class BrokerCommands(cluster: KraftBrokers) {
  private val steps: Map[String, Arguments => Unit] = scala.collection.immutable.ListMap(
    "learn_epoch" -> (a => process(a).epoch = cluster.quorum.epoch(a.int("broker"), a.int("epoch"))),
    "publish" -> (a => process(a).metadata.publish(a.int("image"))),
    "publish_no_ops" -> (a => process(a).metadata.publishNoOps()),
    "crash" -> (a => end(a)(_.kill())),
    "shut_down" -> (a => end(a)(_.shutDown())),
    "restart" -> (a => cluster.start(a.int("broker"))),
    "lose_tail" -> loseTail,
    "append" -> append,
    "fetch" -> (a => cluster.fetches = fetcher(a).fetchRecords()),
    "ask" -> (a => cluster.fetches = fetcher(a).ask()),
    "use_answer" -> (a => fetcher(a).use()),
    "cut" -> (a => fetcher(a).cutLog()),
    "expand" -> expand,
    "shrink" -> shrink,
    "complete" -> complete,
    "fail_directory" -> failDirectory,
    "move" -> move,
    "copy" -> (a => process(a).moves.stepped.copy()),
    "promote" -> (a => process(a).moves.stepped.promote()),
    "send_assignment" -> (a => process(a).assignments.send()),
    "answer_assignment" -> answerAssignment,
    "remove_directory" -> (a => cluster.remove(a.int("broker"), a.int("directory"))),
  )

  def names: Iterable[String] = steps.keys

  /** Each follower that is not at the end of its leader's log has not been there for too long. */
  def take(name: String, arguments: Arguments): Unit = {
    cluster.time.sleep(KraftBrokers.LagMs + 1)
    cluster.fetches = 1
    steps(name)(arguments)
  }

  private def process(a: Arguments): KraftBroker = cluster.process(a.int("broker"))
  private def fetcher(a: Arguments): SteppedFetcher = process(a).fetchers.stepped(a.int("leader"))

  private def end(a: Arguments)(how: KraftBroker => Unit): Unit = {
    how(process(a))
    cluster.processes -= a.int("broker")
  }

  private def append(a: Arguments): Unit = {
    val leader = process(a)
    val record = a.int("record")
    val batch = MemoryRecords.withRecords(Compression.NONE,
      new SimpleRecord(cluster.time.milliseconds, null, record.toString.getBytes))
    leader.manager.appendRecords(30000L, (-1).toShort, false, AppendOrigin.CLIENT,
      Map(new TopicIdPartition(leader.partition.topicId.get, cluster.partition) -> batch),
      answers => if (answers.values.forall(_.error == Errors.NONE)) cluster.acknowledged += record)
    leader.manager.tryCompleteActions()
  }

  private def expand(a: Arguments): Unit = {
    val partition = process(a).partition
    partition.getReplica(a.int("follower")).foreach(PartitionView.maybeExpandIsr(partition, _))
  }

  /** Members that stay were seen at the end of the log just now. */
  private def shrink(a: Arguments): Unit = {
    val partition = process(a).partition
    a.list("staying").flatMap(partition.getReplica).foreach(PartitionView.catchUp(_, cluster.time.milliseconds))
    partition.maybeShrinkIsr()
  }

  /** The answer of Kafka's controller comes to the process that asked, if it still runs. */
  private def complete(a: Arguments): Unit = {
    val broker = a.int("broker")
    val asked = cluster.asked.remove(broker).getOrElse(throw new CannotBeTaken(s"broker $broker has asked nothing"))
    val answer = if (a.text("error").nonEmpty)
      new AlterPartitionResponseData().setErrorCode(Errors.valueOf(a.text("error")).code)
    else cluster.quorum.answers(broker)
    if (cluster.processes.get(broker).contains(asked.sender)) {
      asked.done.onComplete(new ClientResponse(new RequestHeader(ApiKeys.ALTER_PARTITION, 3.toShort, "", 0), null,
        "controller", 0, 0, false, null, null, new AlterPartitionResponse(answer)))
      if (a.int("again") == 1) asked.sender.sendAgain()
    }
  }

  /** The end of a file of a broker that does not run is cut. */
  private def loseTail(a: Arguments): Unit = {
    val broker = a.int("broker")
    val name = s"${cluster.partition.topic}-${cluster.partition.partition}"
    val file = cluster.configured(broker).map(number => new File(cluster.folder(broker, number), s"$name/${"0" * 20}.log"))
      .find(_.exists).getOrElse(throw new CannotBeTaken(s"broker $broker has no log"))
    val records = FileRecords.open(file)
    try {
      val kept = records.batches.asScala.takeWhile(_.lastOffset < a.int("end")).map(_.sizeInBytes).sum
      records.truncateTo(kept)
    } finally records.close()
  }

  private def move(a: Arguments): Unit = {
    val target = cluster.folder(a.int("broker"), a.int("directory")).getPath
    process(a).manager.alterReplicaLogDirs(Map(cluster.partition -> target))
  }

  /** The answer of Kafka's controller comes to the process that told its directory. */
  private def answerAssignment(a: Arguments): Unit = {
    val answer = cluster.quorum.assigned.getOrElse(a.int("broker"),
      throw new CannotBeTaken("the controller has answered nothing"))
    process(a).assignments.answer(answer)
  }

  private def failDirectory(a: Arguments): Unit = {
    val broker = a.int("broker")
    val number = a.int("directory")
    val path = cluster.folder(broker, number).getPath
    if (a.int("ends") == 1) end(a)(_.kill())
    cluster.fail(broker, number)
    cluster.processes.get(broker).foreach(_.manager.handleLogDirFailure(path))
  }
}
