package kafka.server

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.locks.ReentrantLock

import kafka.cluster.BrokerEndPoint
import kafka.utils.{MockTime, ShutdownableThread}
import org.apache.kafka.clients.ClientResponse
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.internals.PartitionStates
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.requests._

import kafka.server.KafkaVersion.{EpochAnswer, EpochQuestion, FetchAnswer}

import scala.collection.{Map, Seq, Set}
import scala.jdk.CollectionConverters._

/**
 * The loop of a fetcher thread, taken apart where it gives up its lock. Each piece is Kafka's own method; only the
 * few lines of `maybeTruncate` and of the first half of `maybeFetch` that join them are restated here.
 */
trait SteppedThread extends TruncationOnFetch { self: AbstractFetcherThread =>
  import SteppedThread.Fetcher

  var phase: String = "MAYBE_TRUNCATE"
  var withEpochs: Map[TopicPartition, EpochQuestion] = Map.empty
  var withoutEpochs: Set[TopicPartition] = Set.empty
  var fetch: Option[FetchInProgress] = None
  /** None while the answer is on its way, and if there is none. */
  var epochAnswers: Option[Map[TopicPartition, EpochAnswer]] = None
  var fetchAnswers: Option[Map[TopicPartition, FetchAnswer]] = None

  Private.set(Fetcher, "partitionMapCond", this, Inert.condition)

  protected def buildRequest(states: Map[TopicPartition, PartitionFetchState]): KafkaVersion.FetchBuilt

  def states: PartitionStates[PartitionFetchState] = Private.get(Fetcher, "partitionStates", this)

  def expect(phases: String*): Unit =
    if (!phases.contains(phase)) throw new CannotBeTaken(s"the thread is at $phase, not at ${phases.mkString(" or ")}")

  def truncatingPartitions(): Unit = guarded {
    expect("MAYBE_TRUNCATE")
    val (asked, others) = Private.call[(Map[TopicPartition, EpochQuestion], Set[TopicPartition])](
      Fetcher, "fetchTruncatingPartitions", this)
    withEpochs = asked
    withoutEpochs = others
    epochAnswers = None
    if (asked.nonEmpty) "EPOCHS_ASKED" else if (others.nonEmpty) "TO_HIGH_WATERMARK" else "MAYBE_FETCH"
  }

  def truncateToEpochs(): Unit = guarded {
    expect("EPOCHS_ANSWERED")
    Private.call[Unit](Fetcher, "truncateToEpochEndOffsets", this, withEpochs)
    withEpochs = Map.empty
    epochAnswers = None
    if (withoutEpochs.nonEmpty) "TO_HIGH_WATERMARK" else "MAYBE_FETCH"
  }

  def truncateToHighWatermarks(): Unit = guarded {
    expect("TO_HIGH_WATERMARK")
    truncateToHighWatermark(withoutEpochs)
    withoutEpochs = Set.empty
    "MAYBE_FETCH"
  }

  def maybeFetch(): Unit = {
    if (phase == "MAYBE_TRUNCATE") truncatingPartitions()
    guarded {
      expect("MAYBE_FETCH")
      mapLock.lock()
      try {
        val partitions = states.partitionStateMap.asScala
        val built = buildRequest(partitions)
        Private.call[Unit](Fetcher, "handlePartitionsWithErrors", this, built.partitionsWithError, "maybeFetch")
        fetch = KafkaVersion.fetchInProgress(partitions, built)
      } finally mapLock.unlock()
      fetchAnswers = None
      if (fetch.isDefined) "FETCH_ASKED" else "MAYBE_TRUNCATE"
    }
  }

  def processFetch(): Unit = {
    expect("FETCH_ANSWERED")
    processAnswer()
  }

  def loseFetch(): Unit = {
    expect("FETCH_ASKED", "FETCH_ANSWERED")
    fetchAnswers = None
    processAnswer()
  }

  def loseEpochs(): Unit = {
    expect("EPOCHS_ASKED", "EPOCHS_ANSWERED")
    epochAnswers = None
    phase = "EPOCHS_ANSWERED"
  }

  def truncateOnFetch(): Unit = guarded {
    expect("ON_FETCH_RESPONSE")
    truncateDiverging()
    fetch = None
    fetchAnswers = None
    "MAYBE_TRUNCATE"
  }

  /** Kafka's own loop raises an error that nothing catches, since it finds no partitions. */
  def break(): Unit = {
    val kept = states
    Private.set(Fetcher, "partitionStates", this, null)
    try run() finally Private.set(Fetcher, "partitionStates", this, kept)
    phase = "DEAD"
  }

  /** Ends a delay in place, so that the order of the partitions stays. Delays count in real time. */
  def expireDelay(partition: TopicPartition): Unit = {
    val state = states.stateValue(partition)
    if (state == null || !state.isDelayed) throw new CannotBeTaken(s"$partition has no delay")
    Private.get[java.util.Map[TopicPartition, PartitionFetchState]](classOf[PartitionStates[_]], "map", states)
      .put(partition, KafkaVersion.withoutDelay(state))
  }

  /** Puts the partitions in an order: that of a map that was built anew is the one of a hash table. */
  def putInOrder(order: Seq[TopicPartition]): Unit = {
    val map = Private.get[java.util.Map[TopicPartition, PartitionFetchState]](classOf[PartitionStates[_]], "map", states)
    for (partition <- order if map.containsKey(partition)) map.put(partition, map.remove(partition))
  }

  private def processAnswer(): Unit = guarded {
    Private.call[Unit](Fetcher, "processFetchRequest", this, fetch.get.arguments: _*)
    if (diverging.exists(states.contains)) {
      fetchAnswers = fetchAnswers.map(_.filter { case (tp, _) => diverging.exists(_ == tp) && states.contains(tp) })
      "ON_FETCH_RESPONSE"
    } else {
      if (diverging.nonEmpty) truncateDiverging()
      fetch = None
      fetchAnswers = None
      "MAYBE_TRUNCATE"
    }
  }

  /** What `ShutdownableThread.run` does with an error: the thread ends. A step that cannot be taken is none. */
  private def guarded(step: => String): Unit =
    try phase = step
    catch {
      case e: CannotBeTaken => throw e
      case _: Throwable =>
        phase = "DEAD"
        Private.get[CountDownLatch](classOf[ShutdownableThread], "shutdownComplete", this).countDown()
    }

  private def mapLock = Private.get[ReentrantLock](Fetcher, "partitionMapLock", this)
}

object SteppedThread {
  val Fetcher: Class[_] = classOf[AbstractFetcherThread]
}

/** The connection to a leader. It gives the answers that were made before; of offsets it asks at once. */
class AnswersOnTheirWay(cluster: BrokerCluster, source: Int) extends BlockingSend {
  var thread: SteppedThread = _
  def initiateClose(): Unit = ()
  def close(): Unit = ()

  def sendRequest(builder: AbstractRequest.Builder[_ <: AbstractRequest]): ClientResponse = {
    val body = builder match {
      case _: OffsetsForLeaderEpochRequest.Builder => KafkaVersion.epochResponse(orLost(thread.epochAnswers))
      case _: FetchRequest.Builder => KafkaVersion.fetchResponse(orLost(thread.fetchAnswers))
      case other => KafkaVersion.offsetsResponse(cluster.brokerThatRuns(source).replicaManager, other)
    }
    new ClientResponse(null, null, source.toString, 0, 0, false, null, null, body)
  }

  private def orLost[T](answers: Option[T]): T = answers.getOrElse(throw new IOException("no answer"))
}

class SteppedFetcherThread(name: String, id: Int, source: BrokerEndPoint, config: KafkaConfig,
    failed: FailedPartitions, manager: ReplicaManager, metrics: Metrics, time: MockTime, quota: ReplicaQuota,
    connection: AnswersOnTheirWay, cluster: BrokerCluster)
  extends ReplicaFetcherThread(name, id, source, config, failed, manager, metrics, time, quota, Some(connection))
  with SteppedThread {

  connection.thread = this

  override def start(): Unit = ()

  protected def buildRequest(states: Map[TopicPartition, PartitionFetchState]): KafkaVersion.FetchBuilt = buildFetch(states)

  override def processPartitionData(partition: TopicPartition, offset: Long, data: FetchAnswer) = {
    val isTaken = BrokerCluster.online(manager, partition).exists(_.localLogOrException.logEndOffset == offset)
    if (isTaken && data.records.batches.asScala.forall(_.isValid)) cluster.raiseIfBroken(config.brokerId, partition)
    super.processPartitionData(partition, offset, data)
  }

  override def truncate(partition: TopicPartition, state: OffsetTruncationState): Unit = {
    cluster.raiseIfBroken(config.brokerId, partition)
    super.truncate(partition, state)
  }
}

class SteppedMoverThread(name: String, source: BrokerEndPoint, config: KafkaConfig, failed: FailedPartitions,
    manager: ReplicaManager, quota: ReplicationQuotaManager, stats: BrokerTopicStats)
  extends ReplicaAlterLogDirsThread(name, source, config, failed, manager, quota, stats) with SteppedThread {

  override def start(): Unit = ()

  protected def buildRequest(states: Map[TopicPartition, PartitionFetchState]): KafkaVersion.FetchBuilt = buildFetch(states)

  def askEpochs(): Unit = epochAnswers = Some(super.fetchEpochEndOffsets(withEpochs))
  def askRecords(): Unit = fetchAnswers = Some(super.fetchFromLeader(fetch.get.builder).toMap
    .map { case (partition, answer) => partition -> KafkaVersion.withRecords(answer, RecordBatches.copied(answer.records)) })

  override def fetchEpochEndOffsets(partitions: Map[TopicPartition, EpochQuestion]) = epochAnswers.get
  override def fetchFromLeader(request: FetchRequest.Builder) = KafkaVersion.fetched(fetchAnswers.get)
}
