package kafka.server

import java.io.File
import java.util.{Collections, LinkedHashMap, Optional}

import kafka.api.LeaderAndIsr
import kafka.cluster.{Broker, Partition}
import kafka.controller.ControllerContext
import kafka.log.{CleanerConfig, LogConfig, LogManager}
import kafka.server.AbstractFetcherThread.{ReplicaFetch, ResultWithPartitions}
import kafka.server.metadata.{CachedConfigRepository, MetadataBroker}
import kafka.utils.MockTime
import org.apache.kafka.common.{IsolationLevel, Node, TopicPartition, Uuid}
import org.apache.kafka.common.message.{ListOffsetsResponseData, OffsetForLeaderEpochResponseData}
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.{OffsetForLeaderPartition, OffsetForLeaderTopic}
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.{EpochEndOffset, OffsetForLeaderTopicResult, OffsetForLeaderTopicResultCollection}
import org.apache.kafka.common.message.StopReplicaRequestData.StopReplicaPartitionState
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.record.Records
import org.apache.kafka.common.requests._

import scala.collection.{Map, Seq, Set}
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

/** A fetch that a thread has under way; `arguments` are those of `processFetchRequest`. */
case class FetchInProgress(partitions: Seq[(TopicPartition, FetchRequest.PartitionData)],
  builder: FetchRequest.Builder, arguments: List[AnyRef])

/** What is Kafka 2.8.1's own. */
object KafkaVersion {
  val name = "2.8.1"

  type EpochQuestion = OffsetForLeaderPartition
  type EpochAnswer = EpochEndOffset
  type FetchAnswer = FetchResponse.PartitionData[Records]
  type FetchBuilt = ResultWithPartitions[Option[ReplicaFetch]]
  type Removed = Map[TopicPartition, PartitionFetchState]

  val Uncommitted: IsolationLevel = IsolationLevel.READ_UNCOMMITTED

  def currentEpoch(question: EpochQuestion): Int = question.currentLeaderEpoch
  def askedEpoch(question: EpochQuestion): Int = question.leaderEpoch
  def error(answer: EpochAnswer): Errors = Errors.forCode(answer.errorCode)
  def foundEpoch(answer: EpochAnswer): Int = answer.leaderEpoch
  def foundEnd(answer: EpochAnswer): Long = answer.endOffset
  def withoutDelay(state: PartitionFetchState): PartitionFetchState = state.copy(delay = None)
  def lastFetchedEpoch(state: PartitionFetchState): Option[Int] = state.lastFetchedEpoch
  def askedLastEpoch(asked: FetchRequest.PartitionData): Option[Int] =
    asked.lastFetchedEpoch.map[Option[Int]](epoch => Some(epoch.intValue)).orElse(None)
  def diverging(answer: FetchAnswer): Option[(Int, Long)] =
    answer.divergingEpoch.map[Option[(Int, Long)]](found => Some((found.epoch, found.endOffset))).orElse(None)

  def lastOffsets(manager: ReplicaManager, questions: Map[TopicPartition, EpochQuestion]): Map[TopicPartition, EpochAnswer] =
    (for (topic <- manager.lastOffsetForLeaderEpoch(Seq(new OffsetForLeaderTopic().setTopic(BrokerCluster.Topic)
        .setPartitions(questions.values.toList.asJava))); answer <- topic.partitions.asScala)
      yield new TopicPartition(topic.topic, answer.partition) -> answer).toMap

  def epochResponse(answers: Map[TopicPartition, EpochAnswer]): AbstractResponse =
    new OffsetsForLeaderEpochResponse(new OffsetForLeaderEpochResponseData().setTopics(
      new OffsetForLeaderTopicResultCollection(Collections.singletonList(new OffsetForLeaderTopicResult()
        .setTopic(BrokerCluster.Topic).setPartitions(answers.values.toList.asJava)).iterator)))

  def fetchInProgress(states: Map[TopicPartition, PartitionFetchState], built: FetchBuilt): Option[FetchInProgress] =
    built.result.map(fetch => FetchInProgress(fetch.partitionData.asScala.toSeq, fetch.fetchRequest,
      List(fetch.partitionData, fetch.fetchRequest)))

  def fetchAnswer(data: FetchPartitionData, records: Records): FetchAnswer =
    new FetchResponse.PartitionData[Records](data.error, data.highWatermark, data.lastStableOffset.getOrElse(-1L),
      data.logStartOffset, Optional.empty[Integer], null, data.divergingEpoch.asJava, records)

  def withRecords(answer: FetchAnswer, records: Records): FetchAnswer =
    new FetchResponse.PartitionData[Records](answer.error, answer.highWatermark, answer.lastStableOffset,
      answer.logStartOffset, answer.preferredReadReplica, answer.abortedTransactions, answer.divergingEpoch,
      records)

  def fetched(answers: Map[TopicPartition, FetchAnswer]): Map[TopicPartition, FetchAnswer] = answers

  def fetchResponse(answers: Map[TopicPartition, FetchAnswer]): AbstractResponse = {
    val data = new LinkedHashMap[TopicPartition, FetchAnswer]
    answers.foreach { case (partition, answer) => data.put(partition, answer) }
    new FetchResponse(Errors.NONE, data, 0, FetchMetadata.INVALID_SESSION_ID)
  }

  /** As `KafkaApis.handleListOffsetRequest` does. */
  def offsetsResponse(manager: ReplicaManager, builder: AbstractRequest.Builder[_ <: AbstractRequest]): AbstractResponse = {
    val asked = builder.asInstanceOf[ListOffsetsRequest.Builder].build().topics.asScala
    val answers = for (topic <- asked; data <- topic.partitions.asScala) yield {
      val partition = new TopicPartition(topic.name, data.partitionIndex)
      try {
        val found = manager.fetchOffsetForTimestamp(partition, data.timestamp, None,
          Optional.of(Int.box(data.currentLeaderEpoch)), fetchOnlyFromLeader = true).get
        ListOffsetsResponse.singletonListOffsetsTopicResponse(partition, Errors.NONE, found.timestamp, found.offset,
          found.leaderEpoch.orElse(-1))
      } catch { case e: Throwable =>
        ListOffsetsResponse.singletonListOffsetsTopicResponse(partition, Errors.forException(e), -1L, -1L, -1)
      }
    }
    new ListOffsetsResponse(new ListOffsetsResponseData().setTopics(answers.asJava))
  }

  def leaderAndIsr(controllerEpoch: Int, state: LeaderAndIsrPartitionState, cluster: BrokerCluster): LeaderAndIsrRequest =
    new LeaderAndIsrRequest.Builder(ApiKeys.LEADER_AND_ISR.latestVersion, 99, controllerEpoch, 1L,
      Collections.singletonList(state), Collections.emptyMap[String, Uuid], cluster.ids.map(id => new Node(id, s"host$id", 9000 + id)).asJava).build()

  def stopReplica(manager: ReplicaManager, partition: TopicPartition, isDeleted: Boolean): Unit =
    manager.stopReplicas(0, 99, manager.controllerEpoch, 1L, Map(partition -> new StopReplicaPartitionState()
      .setPartitionIndex(partition.partition).setLeaderEpoch(LeaderAndIsr.EpochDuringDelete)
      .setDeletePartition(isDeleted)))

  def setLive(known: ControllerContext, brokers: Map[Broker, Long]): Unit = known.setLiveBrokers(brokers)

  def maybeShrinkIsr(partition: Partition): Unit = partition.maybeShrinkIsr()

  /** What `KafkaApis.handle` does after each request. */
  def endRequest(manager: ReplicaManager): Unit = manager.tryCompleteActions()

  def quotas(metrics: Metrics, time: MockTime): QuotaFactory.QuotaManagers = {
    def quota(kind: QuotaType) = new ReplicationQuotaManager(ReplicationQuotaManagerConfig(), metrics, kind, time)
    QuotaFactory.QuotaManagers(null, null, null, null, quota(QuotaType.LeaderReplication),
      quota(QuotaType.FollowerReplication), quota(QuotaType.AlterLogDirsReplication), None)
  }

  def logManager(broker: BrokerProcess, directories: Seq[File], missing: Seq[File], config: LogConfig): LogManager = {
    val manager = new LogManager(directories, missing, new CachedConfigRepository, config, CleanerConfig(enableCleaner = false), 1, 1000L, 10000L,
      10000L, 1000L, 60 * 60 * 1000, NoScheduler, broker.stats, broker.failures, broker.cluster.time,
      keepPartitionMetadataFile = false)
    // Before, the constructor loaded the logs, and none was shut down if it could not.
    try manager.startup(Set(BrokerCluster.Topic))
    catch { case e: Throwable if !broker.isKilledWhileLoading => manager.shutdown(); throw e }
    manager
  }
}

class VersionReplicaManager(b: BrokerProcess) extends ReplicaManager(b.config, b.metrics, b.cluster.time,
  Some(b.cluster.zooKeeper), NoScheduler, b.logManager, b.isShuttingDown, b.quotas, b.stats, b.metadata, b.failures,
  b.producePurgatory, b.fetchPurgatory, b.deletePurgatory, b.electPurgatory, None, new CachedConfigRepository,
  AlterIsrManager(NoScheduler, b.cluster.time, b.cluster.zooKeeper))

/** What UpdateMetadata said: every partition exists, and whether the brokers live. */
class BrokerMetadata(broker: BrokerProcess) extends ZkMetadataCache(broker.id) {
  override def getAliveBrokers: Seq[MetadataBroker] =
    if (broker.knowsLiveBrokers) broker.cluster.ids.map(id => MetadataBroker(broker.cluster.endpoint(id))) else Seq()
  override def getAliveBroker(id: Int): Option[MetadataBroker] = getAliveBrokers.find(_.id == id)
  override def contains(partition: TopicPartition): Boolean = true
}

/** What an answer says of logs that diverge is kept until the thread cuts them. */
trait TruncationOnFetch extends AbstractFetcherThread {
  private var found: Map[TopicPartition, EpochEndOffset] = Map.empty

  def diverging: Iterable[TopicPartition] = found.keys
  def truncateDiverging(): Unit = {
    val told = found
    found = Map.empty
    super.truncateOnFetchResponse(told)
  }
  override protected[server] def truncateOnFetchResponse(told: Map[TopicPartition, EpochEndOffset]): Unit = found = told
}

/** Failures are cleared by the threads, not by the manager. */
trait FailureClearing
