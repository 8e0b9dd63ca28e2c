package kafka.server

import java.util.Optional

import com.fasterxml.jackson.databind.JsonNode
import kafka.api.LeaderAndIsr
import kafka.cluster.Replica
import kafka.controller.LeaderIsrAndControllerEpoch
import kafka.log.AppendOrigin
import kafka.zk.TopicPartitionStateZNode
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.KafkaStorageException
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.requests.FetchRequest

import scala.collection.{Map, Seq}
import scala.jdk.CollectionConverters._

/** The steps of the model as calls into Kafka; docs/conformance.md has them as a table. */
class Commands(cluster: BrokerCluster) {
  private val steps: Map[String, Arguments => Unit] = scala.collection.immutable.ListMap(
    "nothing" -> (_ => ()),
    // the controller, and what happens from outside
    "set_node" -> setNode,
    "crash" -> (a => cluster.crash(a.int("broker"))),
    "shut_down" -> (a => cluster.shutDown(a.int("broker"))),
    "crash_while_loading" -> (a => cluster.failToStart(a.int("broker"), isKilled = true)),
    "fail_to_start" -> (a => cluster.failToStart(a.int("broker"), isKilled = false)),
    "restart" -> (a => cluster.restart(a.int("broker"))),
    "lose_log_start" -> (a => cluster.loseLogStart(a.int("broker"), partition(a))),
    "lose_tail" -> (a => cluster.loseTail(a.int("broker"), partition(a))),
    "fail_directory" -> (a => cluster.failDirectory(a.int("broker"), a.int("directory"))),
    "break_log" -> (a => cluster.breakLog(a.int("broker"), partition(a))),
    "break_thread" -> (a => thread(a).break()),
    "corrupt_batch" -> (a => RecordBatches.corrupt(answerOf(thread(a), partition(a)))),
    "lose_epochs" -> (a => thread(a).loseEpochs()),
    "lose_fetch" -> (a => thread(a).loseFetch()),
    // requests that change replicas
    "make_leaders" -> (a => tell(a, Pause.LEADER)),
    "make_followers" -> (a => tell(a, Pause.FOLLOWER)),
    "fail_to_create_log" -> (a => tell(a, Pause.MOVER)),
    "refuse_leader_and_isr" -> (a => tell(a, Pause.MOVER)),
    "ignore_unknown_leader" -> ignoreUnknownLeader,
    "make_leader" -> (a => proceed(a, Pause.LEADER)),
    "replace_fetcher" -> (a => proceed(a, Pause.FOLLOWER)),
    "clear_failure" -> (a => proceed(a, Pause.FETCHED)),
    "move_on" -> (a => proceed(a, Pause.MOVER)),
    "migrate_partitions" -> (a => proceed(a, Pause.RESIZED)),
    "abort_request" -> (a => broker(a).abort()),
    "resize_thread_pool" -> (a => resize(a, Pause.RESIZED)),
    "resize_at_once" -> (a => resize(a, Pause.NONE)),
    "stop_replica" -> (a => stop(a, isDeleted = false)),
    "stop_and_delete_replica" -> (a => stop(a, isDeleted = true)),
    "alter_replica_log_dirs" -> alterLogDirs,
    "shutdown_idle_replica_alter_log_dirs_thread" ->
      (a => broker(a).replicaManager.shutdownIdleReplicaAlterLogDirsThread()),
    "handle_log_dir_failure" -> (a => broker(a).replicaManager.handleLogDirFailure(
      cluster.directory(a.int("broker"), a.int("directory")).getAbsolutePath, sendZkNotification = false)),
    "checkpoint_high_watermarks" -> (a => broker(a).replicaManager.checkpointHighWatermarks()),
    "checkpoint_log_start_offsets" -> (a => checkpointLogStartOffsets(broker(a))),
    // the leader
    "append_records_to_leader" -> append,
    "consume" -> consume,
    "maybe_shrink_isr" -> shrinkIsr,
    "delete_records" -> (a => cluster.hosted(a.int("leader"), partition(a)).deleteRecordsOnLeader(a.int("offset"))),
    "handle_offset_for_leader_epoch_request" -> answerEpochs,
    "handle_fetch_request" -> answerFetch,
    "fetch_again" -> fetchAgain,
    "stall_after_read" -> stallAfterRead,
    "record_late" -> (a => leader(a).recordLate()),
    "catch_up" -> (_ => ()), // who has caught up is told with each command
    // fetcher threads
    "fetch_truncating_partitions" -> (a => thread(a).truncatingPartitions()),
    "truncate_to_epoch_end_offsets" -> (a => thread(a).truncateToEpochs()),
    "truncate_to_high_watermark" -> (a => thread(a).truncateToHighWatermarks()),
    "maybe_fetch" -> (a => thread(a).maybeFetch()),
    "process_fetch_request" -> (a => thread(a).processFetch()),
    "truncate_on_fetch_response" -> (a => thread(a).truncateOnFetch()),
    "put_in_order" -> (a => thread(a).putInOrder(a.list("order").map(cluster.partition))),
    "expire_delay" -> (a => thread(a).expireDelay(partition(a))),
  )

  def names: Iterable[String] = steps.keys

  /** Takes a step. Time goes on with each, so that a follower that lags does so for too long. */
  def take(name: String, arguments: Arguments): Unit = {
    cluster.time.sleep(BrokerCluster.LagMs + 1L)
    arguments.lists("caught_up").foreach { case Seq(leader, number, follower) => catchUp(leader, cluster.partition(number), follower) }
    steps.getOrElse(name, throw new CannotBeTaken(s"there is no command $name"))(arguments)
    cluster.forgetReplacedLogs()
  }

  private def partition(a: Arguments): TopicPartition = cluster.partition(a.int("partition"))
  private def broker(a: Arguments): BrokerProcess = cluster.running(a.int("broker"))
  private def leader(a: Arguments): BrokerProcess = cluster.running(a.int("leader"))
  private def thread(a: Arguments): SteppedThread =
    cluster.running(a.int("follower")).thread(a.int("leader"), a.int("fetcher"))

  private def setNode(a: Arguments): Unit = {
    val content = a.content
    val stored = LeaderAndIsr(content.get("leader").asInt, content.get("epoch").asInt,
      content.get("isr").elements.asScala.map(_.asInt).toList, content.get("version").asInt)
    val data = TopicPartitionStateZNode.encode(LeaderIsrAndControllerEpoch(stored, content.get("controller").asInt))
    cluster.zooKeeper.put(TopicPartitionStateZNode.path(partition(a)), data, content.get("version").asInt)
  }

  /** LeaderAndIsr for one partition, up to a pause. A log that is created is put where the model has it. */
  private def tell(a: Arguments, first: Pause.Value): Unit = {
    val (content, process, told) = (a.content, broker(a), partition(a))
    val state = new LeaderAndIsrPartitionState()
      .setTopicName(told.topic).setPartitionIndex(told.partition)
      .setControllerEpoch(content.get("controller").asInt)
      .setLeader(content.get("leader").asInt).setLeaderEpoch(content.get("epoch").asInt)
      .setIsr(content.get("isr").elements.asScala.map(e => Integer.valueOf(e.asInt)).toList.asJava)
      .setZkVersion(content.get("version").asInt)
      .setReplicas(cluster.ids.map(Integer.valueOf).asJava).setIsNew(false)
    val request = KafkaVersion.leaderAndIsr(content.get("controller").asInt, state, cluster)
    if (process.logManager.getLog(told).isEmpty)
      process.logManager.maybeUpdatePreferredLogDir(told,
        cluster.directory(process.id, a.optional("directory").getOrElse(told.partition % cluster.size.directories)).getAbsolutePath)
    process.begin(new PausableCall(first, () =>
      try process.replicaManager.becomeLeaderOrFollower(0, request, (_, _) => ())
      catch { case _: KafkaStorageException => () })) // which `KafkaApis.handle` answers
  }

  private def proceed(a: Arguments, from: Pause.Value): Unit = {
    val at = broker(a).handler.map(_.pausedAt)
    if (!at.contains(from)) throw new CannotBeTaken(s"broker ${a.int("broker")} is at ${at.getOrElse("no request")}, not at $from")
    broker(a).proceed()
  }

  private def ignoreUnknownLeader(a: Arguments): Unit = {
    broker(a).knowsLiveBrokers = false
    try tell(a, Pause.MOVER) finally broker(a).knowsLiveBrokers = true
  }

  private def resize(a: Arguments, first: Pause.Value): Unit = {
    val (process, count) = (broker(a), a.int("fetcher") + 1)
    val manager = process.replicaManager.replicaFetcherManager
    cluster.fetchers(process.id) = count
    process.resizePausesAt = a.optional("pauses_at")
    process.begin(new PausableCall(first, () => {
      manager.resizeThreadPool(count)
      PausableCall.stopAt(Pause.RESIZED, Pause.NONE) // no thread had anything to be removed
    }))
  }

  /** In each directory that does not fail. */
  private def checkpointLogStartOffsets(process: BrokerProcess): Unit =
    try process.logManager.checkpointLogStartOffsets()
    catch { case _: KafkaStorageException => () }

  /** As `KafkaApis.handleStopReplicaRequest` does. */
  private def stop(a: Arguments, isDeleted: Boolean): Unit = {
    val manager = broker(a).replicaManager
    KafkaVersion.stopReplica(manager, partition(a), isDeleted)
    manager.replicaFetcherManager.shutdownIdleFetcherThreads()
    if (isDeleted) cluster.forgetDeletedLog(a.int("broker"), partition(a))
  }

  private def alterLogDirs(a: Arguments): Unit = {
    val path = cluster.directory(a.int("broker"), a.int("directory")).getAbsolutePath
    broker(a).replicaManager.alterReplicaLogDirs(Map(partition(a) -> path)).values
      .find(_ != Errors.NONE).foreach(error => throw error.exception)
  }

  /** A producer that waits for all in sync. */
  private def append(a: Arguments): Unit = {
    val (asked, id) = (partition(a), a.int("record"))
    var refused = Errors.NONE
    leader(a).replicaManager.appendRecords(1000000000L, -1, false, AppendOrigin.Client,
      Map(asked -> RecordBatches.of(id)), answers => {
        val error = answers.values.head.error
        if (error == Errors.NONE) cluster.acknowledged += ((asked.partition, id)) else refused = error
      })
    KafkaVersion.endRequest(leader(a).replicaManager)
    if (refused != Errors.NONE) throw refused.exception
  }

  /** A consumer, which reads below the high watermark. */
  private def consume(a: Arguments): Unit = {
    val asked = new FetchRequest.PartitionData(a.int("offset"), 0, 1000000, Optional.empty[Integer])
    leader(a).replicaManager.fetchMessages(0, -1, 1, 10000000, false, Seq(partition(a) -> asked),
      leader(a).quotas.leader, (got: Seq[(TopicPartition, FetchPartitionData)]) =>
        cluster.consumed = got.head._2.records.records.asScala.map(RecordBatches.id).toSeq,
      KafkaVersion.Uncommitted, None)
  }

  /** Only one follower lags: all others in the ISR have just caught up. */
  private def shrinkIsr(a: Arguments): Unit = {
    val shrunk = cluster.hosted(a.int("leader"), partition(a))
    for (replica <- shrunk.remoteReplicas
         if replica.brokerId != a.int("follower") && shrunk.inSyncReplicaIds.contains(replica.brokerId))
      catchUp(replica)
    KafkaVersion.maybeShrinkIsr(shrunk)
  }

  private def catchUp(leader: Int, partition: TopicPartition, follower: Int): Unit =
    cluster.hosted(leader, partition).remoteReplicas.filter(_.brokerId == follower).foreach(catchUp)

  private def catchUp(replica: Replica): Unit =
    Private.set(replica.getClass, "_lastCaughtUpTimeMs", replica, cluster.time.milliseconds)

  private def answerEpochs(a: Arguments): Unit = {
    val asking = thread(a)
    asking.expect("EPOCHS_ASKED")
    asking match {
      case mover: SteppedMoverThread => mover.askEpochs()
      case _ => asking.epochAnswers = Some(KafkaVersion.lastOffsets(leader(a).replicaManager, asking.withEpochs))
    }
    asking.phase = "EPOCHS_ANSWERED"
  }

  private def answerFetch(a: Arguments): Unit = {
    val asking = thread(a)
    asking.expect("FETCH_ASKED")
    asking match {
      case mover: SteppedMoverThread => mover.askRecords()
      case _ => ask(a, asking)
    }
    asking.phase = "FETCH_ANSWERED"
  }

  /** The follower used an answer that brings nothing, and asks for the same again. */
  private def fetchAgain(a: Arguments): Unit = {
    thread(a).expect("FETCH_ANSWERED")
    ask(a, thread(a))
  }

  /** The leader's answer is made now and kept until the thread uses it. One that waits at the leader waits in vain. */
  private def ask(a: Arguments, asking: SteppedThread): Unit = {
    val asked = leader(a)
    val bytes = if (cluster.size.fetchSize > 0) cluster.size.fetchSize * RecordBatches.Bytes else 10000000
    var answers: Option[Map[TopicPartition, KafkaVersion.FetchAnswer]] = None
    asked.replicaManager.fetchMessages(a.optional("wait").fold(Commands.FetchWaitMs)(_.toLong), a.int("follower"), 1, bytes, false,
      asking.fetch.get.partitions, asked.quotas.leader,
      (got: Seq[(TopicPartition, FetchPartitionData)]) => answers = Some(got.map { case (partition, data) =>
        partition -> KafkaVersion.fetchAnswer(data, RecordBatches.copied(data.records)) }.toMap),
      KafkaVersion.Uncommitted, None)
    if (answers.isEmpty) asked.timer.advanceClock(2 * Commands.FetchWaitMs)
    asking.fetchAnswers = answers
  }

  /** The leader reads one partition of what is asked for, and learns of it when it goes on. */
  private def stallAfterRead(a: Arguments): Unit = {
    val asking = thread(a)
    asking.expect("FETCH_ASKED")
    val (process, follower) = (leader(a), a.int("follower"))
    val asked = asking.fetch.get.partitions.filter(_._1 == partition(a))
    process.stallFetch(() => process.replicaManager.fetchMessages(0, follower, 1, Int.MaxValue, false, asked,
      process.quotas.leader, (_: Seq[(TopicPartition, FetchPartitionData)]) => (), KafkaVersion.Uncommitted, None))
  }

  private def answerOf(thread: SteppedThread, partition: TopicPartition) = {
    thread.expect("FETCH_ANSWERED")
    thread.fetchAnswers.flatMap(_.get(partition))
      .getOrElse(throw new CannotBeTaken(s"no answer is on its way for $partition")).records
  }
}

object Commands {
  val FetchWaitMs = 500L
}
