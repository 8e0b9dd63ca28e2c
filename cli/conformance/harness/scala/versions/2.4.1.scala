package kafka.server

import java.util.Collections

import kafka.cluster.{Broker, Partition}
import kafka.controller.ControllerContext
import kafka.server.AbstractFetcherThread.ResultWithPartitions
import kafka.utils.DelayedItem
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests._

import scala.collection.{Map, Seq, Set}
import scala.jdk.CollectionConverters._

/** What is Kafka 2.4.1's own. */
object KafkaVersion extends BeforeKafka28 {
  val name = "2.4.1"

  type FetchBuilt = ResultWithPartitions[Option[FetchRequest.Builder]]

  val Uncommitted: IsolationLevel = IsolationLevel.READ_UNCOMMITTED

  def withoutDelay(state: PartitionFetchState): PartitionFetchState = state.copy(delay = new DelayedItem(0))

  def fetchInProgress(states: Map[TopicPartition, PartitionFetchState], built: FetchBuilt): Option[FetchInProgress] =
    built.result.map(request => FetchInProgress(request.fetchData.asScala.toSeq, request, List(states, request)))

  def fetched(answers: Map[TopicPartition, FetchAnswer]): Seq[(TopicPartition, FetchAnswer)] = answers.toSeq

  def stopReplica(manager: ReplicaManager, partition: TopicPartition, isDeleted: Boolean): Unit =
    manager.stopReplicas(new StopReplicaRequest.Builder(ApiKeys.STOP_REPLICA.latestVersion, 99, manager.controllerEpoch,
      1L, isDeleted, Collections.singletonList(partition)).build())

  /** Whether a request deletes, and the partitions that it names. */
  def stopped(request: StopReplicaRequest): (Boolean, Seq[TopicPartition]) =
    (request.deletePartitions, request.partitions.asScala.toSeq)

  def setLive(known: ControllerContext, brokers: Map[Broker, Long]): Unit = known.setLiveBrokerAndEpochs(brokers)

  def maybeShrinkIsr(partition: Partition): Unit = partition.maybeShrinkIsr(BrokerCluster.LagMs)
}

/** The manager clears failures after it has added a partition, and can be held up before it does. */
trait FailureClearing extends AbstractFetcherManager[ReplicaFetcherThread] {
  private var isAdding = false

  Private.set(classOf[AbstractFetcherManager[_]], "failedPartitions", this, new FailedPartitions {
    override def removeAll(partitions: Set[TopicPartition]): Unit = {
      if (isAdding) PausableCall.stopAt(Pause.FETCHED, Pause.MOVER)
      super.removeAll(partitions)
    }
  })

  override def addFetcherForPartitions(partitions: Map[TopicPartition, InitialFetchState]): Unit = {
    isAdding = partitions.nonEmpty
    try super.addFetcherForPartitions(partitions) finally isAdding = false
  }
}
