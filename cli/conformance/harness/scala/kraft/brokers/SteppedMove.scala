package kafka.server

import kafka.server.ReplicaAlterLogDirsThread.{PromotionState, ReassignmentState}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.server.LeaderEndPoint
import org.apache.kafka.server.common.DirectoryEventHandler
import org.apache.kafka.server.network.BrokerEndPoint
import org.apache.kafka.storage.log.metrics.BrokerTopicStats

/** Makes threads that move logs, and that run no loop. A thread without partitions ends where Kafka ends it. */
class SteppedMoveManager(broker: KraftBroker, manager: ReplicaManager, quota: ReplicationQuotaManager,
    stats: BrokerTopicStats, events: DirectoryEventHandler)
  extends ReplicaAlterLogDirsManager(broker.config, manager, quota, stats, events) {

  override def createFetcherThread(fetcher: Int, source: BrokerEndPoint): ReplicaAlterLogDirsThread =
    new SteppedMove(s"move-$fetcher", new LocalLeaderEndPoint(source, broker.config, manager, quota), failedPartitions,
      manager, quota, stats, broker.config.replicaFetchBackoffMs, events, broker.cluster.partition)

  /** The thread that moves the log of the partition, if there is one. */
  def moving: Option[SteppedMove] =
    fetcherThreadMap.values.map(_.asInstanceOf[SteppedMove]).find(_.state.isDefined)
  def stepped: SteppedMove = moving.getOrElse(throw new CannotBeTaken(s"broker ${broker.id} moves no log"))
}

/** A thread that moves a log, whose copy of a record and whose next round of the promotion are two steps. */
class SteppedMove(name: String, source: LeaderEndPoint, failed: FailedPartitions, manager: ReplicaManager,
    quota: ReplicationQuotaManager, stats: BrokerTopicStats, backOffMs: Int, events: DirectoryEventHandler,
    partition: TopicPartition)
  extends ReplicaAlterLogDirsThread(name, source, failed, manager, quota, stats, backOffMs, events) {

  override def start(): Unit = ()

  /** How far the promotion is, if the thread has the partition. */
  def state: Option[PromotionState] = Option(promotionStates.get(partition))

  /** The future log is cut where it differs; if it does not differ, one record is copied to it. */
  def copy(): Unit = {
    val end = logEndOffset(partition)
    while (fetchState(partition).exists(_.isTruncating))
      KraftPrivate.call(classOf[AbstractFetcherThread], "maybeTruncate", this)
    if (logEndOffset(partition) == end) withoutPromotion(doWork())
  }

  /** The thread finds that all is copied. */
  def promote(): Unit = doWork()

  /** A thread that waits for the controller promotes nothing. */
  private def withoutPromotion(step: => Unit): Unit = {
    val known = promotionStates.get(partition)
    promotionStates.put(partition, known.withAssignment(ReassignmentState.Queued))
    try step finally promotionStates.computeIfPresent(partition, (_, _) => known)
  }
}
