package kafka.server

import java.io.File
import java.util.{Collections, LinkedHashMap, Optional}

import kafka.cluster.Broker
import kafka.log.{CleanerConfig, LogConfig, LogManager}
import kafka.utils.MockTime
import org.apache.kafka.common.{Node, TopicPartition}
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.record.Records
import org.apache.kafka.common.requests._

import scala.collection.{Map, Seq}
import scala.jdk.CollectionConverters._

/** A fetch that a thread has under way; `arguments` are those of `processFetchRequest`. */
case class FetchInProgress(partitions: Seq[(TopicPartition, FetchRequest.PartitionData)],
  builder: FetchRequest.Builder, arguments: List[AnyRef])

/** What versions before Kafka 2.8 have in common. */
trait BeforeKafka28 {
  type EpochQuestion = OffsetsForLeaderEpochRequest.PartitionData
  type EpochAnswer = EpochEndOffset
  type FetchAnswer = FetchResponse.PartitionData[Records]
  type Removed = Unit

  def currentEpoch(question: EpochQuestion): Int = question.currentLeaderEpoch.get
  def askedEpoch(question: EpochQuestion): Int = question.leaderEpoch
  def error(answer: EpochAnswer): Errors = answer.error
  def foundEpoch(answer: EpochAnswer): Int = answer.leaderEpoch
  def foundEnd(answer: EpochAnswer): Long = answer.endOffset
  def lastFetchedEpoch(state: PartitionFetchState): Option[Int] = None
  def askedLastEpoch(asked: FetchRequest.PartitionData): Option[Int] = None
  def diverging(answer: FetchAnswer): Option[(Int, Long)] = None

  def lastOffsets(manager: ReplicaManager, questions: Map[TopicPartition, EpochQuestion]): Map[TopicPartition, EpochAnswer] =
    manager.lastOffsetForLeaderEpoch(questions)

  def epochResponse(answers: Map[TopicPartition, EpochAnswer]): AbstractResponse =
    new OffsetsForLeaderEpochResponse(0, new LinkedHashMap(answers.asJava))

  def fetchAnswer(data: FetchPartitionData, records: Records): FetchAnswer =
    new FetchResponse.PartitionData[Records](data.error, data.highWatermark, data.lastStableOffset.getOrElse(-1L),
      data.logStartOffset, Optional.empty[Integer], null, records)

  def withRecords(answer: FetchAnswer, records: Records): FetchAnswer =
    new FetchResponse.PartitionData[Records](answer.error, answer.highWatermark, answer.lastStableOffset,
      answer.logStartOffset, answer.preferredReadReplica, answer.abortedTransactions, records)

  def fetchResponse(answers: Map[TopicPartition, FetchAnswer]): AbstractResponse = {
    val data = new LinkedHashMap[TopicPartition, FetchAnswer]
    answers.foreach { case (partition, answer) => data.put(partition, answer) }
    new FetchResponse(Errors.NONE, data, 0, FetchMetadata.INVALID_SESSION_ID)
  }

  def answersOf(response: AbstractResponse): (Errors, Seq[(TopicPartition, Errors)]) = {
    val answer = response.asInstanceOf[LeaderAndIsrResponse]
    (answer.error, answer.partitions.asScala.map(partition =>
      new TopicPartition(partition.topicName, partition.partitionIndex) -> Errors.forCode(partition.errorCode)).toSeq)
  }

  /** As `KafkaApis.handleListOffsetRequest` does. */
  def offsetsResponse(manager: ReplicaManager, builder: AbstractRequest.Builder[_ <: AbstractRequest]): AbstractResponse = {
    val asked = builder.asInstanceOf[ListOffsetRequest.Builder].build().partitionTimestamps.asScala
    val answers = asked.map { case (partition, data) =>
      partition -> (try {
        val found = manager.fetchOffsetForTimestamp(partition, data.timestamp, None, data.currentLeaderEpoch,
          fetchOnlyFromLeader = true).get
        new ListOffsetResponse.PartitionData(Errors.NONE, found.timestamp, found.offset, found.leaderEpoch)
      } catch { case e: Throwable =>
        new ListOffsetResponse.PartitionData(Errors.forException(e), -1L, -1L, Optional.empty[Integer])
      })
    }
    new ListOffsetResponse(0, answers.asJava)
  }

  def leaderAndIsr(controllerEpoch: Int, state: LeaderAndIsrPartitionState, cluster: BrokerCluster): LeaderAndIsrRequest =
    new LeaderAndIsrRequest.Builder(ApiKeys.LEADER_AND_ISR.latestVersion, 99, controllerEpoch, 1L,
      Collections.singletonList(state), cluster.ids.map(id => new Node(id, s"host$id", 9000 + id)).asJava).build()

  /** Delayed operations were completed by the request itself. */
  def endRequest(manager: ReplicaManager): Unit = ()

  def quotas(metrics: Metrics, time: MockTime): QuotaFactory.QuotaManagers = {
    def quota(kind: QuotaType) = new ReplicationQuotaManager(ReplicationQuotaManagerConfig(), metrics, kind, time)
    QuotaFactory.QuotaManagers(null, null, null, quota(QuotaType.LeaderReplication),
      quota(QuotaType.FollowerReplication), quota(QuotaType.AlterLogDirsReplication), None)
  }

  def logManager(broker: BrokerProcess, directories: Seq[File], missing: Seq[File], config: LogConfig): LogManager =
    new LogManager(directories, missing, Map(), config, CleanerConfig(enableCleaner = false), 1, 1000L, 10000L, 10000L,
      1000L, 60 * 60 * 1000, NoScheduler, BrokerState(), broker.stats, broker.failures, broker.cluster.time)
}

class VersionReplicaManager(b: BrokerProcess) extends ReplicaManager(b.config, b.metrics, b.cluster.time,
  b.cluster.zooKeeper, NoScheduler, b.logManager, b.isShuttingDown, b.quotas, b.stats, b.metadata, b.failures,
  b.producePurgatory, b.fetchPurgatory, b.deletePurgatory, b.electPurgatory, None)

/** What UpdateMetadata said: every partition exists, and whether the brokers live. */
class BrokerMetadata(broker: BrokerProcess) extends MetadataCache(broker.id) {
  override def getAliveBrokers: Seq[Broker] =
    if (broker.knowsLiveBrokers) broker.cluster.ids.map(broker.cluster.endpoint) else Seq()
  override def getAliveBroker(id: Int): Option[Broker] = getAliveBrokers.find(_.id == id)
  override def contains(partition: TopicPartition): Boolean = true
}

/** Threads do not cut logs when they fetch. */
trait TruncationOnFetch {
  def diverging: Iterable[TopicPartition] = Nil
  def truncateDiverging(): Unit = throw new CannotBeTaken(s"Kafka ${KafkaVersion.name} does not truncate on fetch")
}
