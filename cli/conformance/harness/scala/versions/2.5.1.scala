package kafka.server

import java.util.Collections

import kafka.cluster.{Broker, Partition}
import kafka.controller.ControllerContext
import kafka.server.AbstractFetcherThread.{ReplicaFetch, ResultWithPartitions}
import org.apache.kafka.common.{IsolationLevel, TopicPartition}
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests._

import scala.collection.{Map, Seq}
import scala.jdk.CollectionConverters._

/** What is Kafka 2.5.1's own. */
object KafkaVersion extends BeforeKafka28 {
  val name = "2.5.1"

  type FetchBuilt = ResultWithPartitions[Option[ReplicaFetch]]

  val Uncommitted: IsolationLevel = IsolationLevel.READ_UNCOMMITTED

  def withoutDelay(state: PartitionFetchState): PartitionFetchState = state.copy(delay = None)

  def fetchInProgress(states: Map[TopicPartition, PartitionFetchState], built: FetchBuilt): Option[FetchInProgress] =
    built.result.map(fetch => FetchInProgress(fetch.partitionData.asScala.toSeq, fetch.fetchRequest,
      List(fetch.partitionData, fetch.fetchRequest)))

  def fetched(answers: Map[TopicPartition, FetchAnswer]): Map[TopicPartition, FetchAnswer] = answers

  def stopReplica(manager: ReplicaManager, partition: TopicPartition, isDeleted: Boolean): Unit =
    manager.stopReplicas(new StopReplicaRequest.Builder(ApiKeys.STOP_REPLICA.latestVersion, 99, manager.controllerEpoch,
      1L, isDeleted, Collections.singletonList(partition)).build())

  /** Whether a request deletes, and the partitions that it names. */
  def stopped(request: StopReplicaRequest): (Boolean, Seq[TopicPartition]) =
    (request.deletePartitions, request.partitions.asScala.toSeq)

  def setLive(known: ControllerContext, brokers: Map[Broker, Long]): Unit = known.setLiveBrokerAndEpochs(brokers)

  def maybeShrinkIsr(partition: Partition): Unit = partition.maybeShrinkIsr()
}

/** Failures are cleared by the threads, not by the manager. */
trait FailureClearing
