package kafka.server

import kafka.api.LeaderAndIsr
import kafka.cluster.{Broker, Partition}
import kafka.controller.ControllerContext
import kafka.server.AbstractFetcherThread.{ReplicaFetch, ResultWithPartitions}
import org.apache.kafka.common.{IsolationLevel, TopicPartition}
import org.apache.kafka.common.message.StopReplicaRequestData.StopReplicaPartitionState
import org.apache.kafka.common.requests._

import scala.collection.{Map, Seq}
import scala.jdk.CollectionConverters._

/** What is Kafka 2.6.1's own. */
object KafkaVersion extends BeforeKafka28 {
  val name = "2.6.1"

  type FetchBuilt = ResultWithPartitions[Option[ReplicaFetch]]

  val Uncommitted: IsolationLevel = IsolationLevel.READ_UNCOMMITTED

  def withoutDelay(state: PartitionFetchState): PartitionFetchState = state.copy(delay = None)

  def fetchInProgress(states: Map[TopicPartition, PartitionFetchState], built: FetchBuilt): Option[FetchInProgress] =
    built.result.map(fetch => FetchInProgress(fetch.partitionData.asScala.toSeq, fetch.fetchRequest,
      List(fetch.partitionData, fetch.fetchRequest)))

  def fetched(answers: Map[TopicPartition, FetchAnswer]): Map[TopicPartition, FetchAnswer] = answers

  def stopReplica(manager: ReplicaManager, partition: TopicPartition, isDeleted: Boolean): Unit =
    manager.stopReplicas(0, 99, manager.controllerEpoch, 1L, Map(partition -> new StopReplicaPartitionState()
      .setPartitionIndex(partition.partition).setLeaderEpoch(LeaderAndIsr.EpochDuringDelete)
      .setDeletePartition(isDeleted)))

  /** Whether a request deletes, and the partitions that it names. */
  def stopped(request: StopReplicaRequest): (Boolean, Seq[TopicPartition]) = {
    val partitions = request.partitionStates.asScala.toSeq
    if (partitions.map(_._2.deletePartition).distinct.size > 1) throw new IllegalStateException(s"$request deletes in part")
    (partitions.exists(_._2.deletePartition), partitions.map(_._1))
  }

  def setLive(known: ControllerContext, brokers: Map[Broker, Long]): Unit = known.setLiveBrokers(brokers)

  def maybeShrinkIsr(partition: Partition): Unit = partition.maybeShrinkIsr()
}

/** Failures are cleared by the threads, not by the manager. */
trait FailureClearing
