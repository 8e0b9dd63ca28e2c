package kafka.cluster

import org.apache.kafka.server.replica.{Replica, ReplicaState}

import java.util.concurrent.atomic.AtomicReference
import scala.jdk.CollectionConverters._

/** What a partition keeps to itself: its ISRs, and steps that Kafka takes within others. */
object PartitionView {
  private val expand = classOf[Partition].getDeclaredMethods
    .find(m => m.getName.contains("maybeExpandIsr") && m.getParameterCount == 1).get
  private val state = classOf[Replica].getDeclaredFields.find(_.getType == classOf[AtomicReference[_]]).get
  expand.setAccessible(true)
  state.setAccessible(true)

  def isr(partition: Partition): Seq[Int] = partition.partitionState.isr.toSeq.sorted
  def maximalIsr(partition: Partition): Seq[Int] = partition.partitionState.maximalIsr.toSeq.sorted
  def isPending(partition: Partition): Boolean = partition.partitionState.isInflight
  def epochStart(partition: Partition): Long = partition.leaderEpochStartOffsetOpt.getOrElse(-1L)
  def replicas(partition: Partition): Seq[Int] = partition.assignmentState.replicas.toSeq.sorted
  def followers(partition: Partition): Seq[Replica] = partition.remoteReplicas.toSeq.sortBy(_.brokerId)

  /** What a request handler does after it has recorded a fetch. */
  def maybeExpandIsr(partition: Partition, follower: Replica): Unit = expand.invoke(partition, follower)

  /** A follower was seen at the end of the log just now. */
  def catchUp(follower: Replica, now: Long): Unit = {
    val known = follower.stateSnapshot
    state.get(follower).asInstanceOf[AtomicReference[ReplicaState]].set(new ReplicaState(known.logStartOffset,
      known.logEndOffsetMetadata, known.lastFetchLeaderLogEndOffset, known.lastFetchTimeMs, now, known.brokerEpoch))
  }
}
