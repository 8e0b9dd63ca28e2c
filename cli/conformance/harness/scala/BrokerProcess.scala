package kafka.server

import java.io.File
import java.util.concurrent.atomic.AtomicBoolean

import kafka.cluster.BrokerEndPoint
import kafka.log.{Log, LogConfig, LogManager}
import kafka.utils.{CoreUtils, FileLock, Logging}
import kafka.utils.timer.MockTimer
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.ApiException
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.replica.ClientMetadata
import org.apache.kafka.common.requests.FetchRequest.PartitionData
import org.apache.kafka.common.utils.Time

import scala.collection.{Map, Seq, Set}

/** One process of a broker, from start to end: its replication layer, without network and without threads. */
class BrokerProcess(val cluster: BrokerCluster, val id: Int, val isKilledWhileLoading: Boolean = false) extends Logging {
  val config: KafkaConfig = KafkaConfig.fromProps(cluster.properties(id))
  val metrics = new Metrics
  val failures = new LogDirFailureChannel(config.logDirs.size)
  val timer = new MockTimer
  val stats = new BrokerTopicStats
  val quotas: QuotaFactory.QuotaManagers = KafkaVersion.quotas(metrics, cluster.time)
  /** The request that holds the lock of the replicas, if there is one under way. */
  var handler: Option[PausableCall] = None
  /** The fetch whose handler is held up after it has read, if there is one. */
  var stalledFetch: Option[PausableCall] = None
  /** Whether UpdateMetadata said that the other brokers live. */
  var knowsLiveBrokers = true
  /** The partition at whose removal a change of the thread pool is held up; the first, if there is none. */
  var resizePausesAt: Option[Int] = None

  val logManager: LogManager = {
    val (found, missing) = config.logDirs.map(new File(_)).partition(_.isDirectory)
    KafkaVersion.logManager(this, found ++ missing, missing, LogConfig(cluster.logProperties))
  }

  private def purgatory[T <: DelayedOperation](name: String) =
    new DelayedOperationPurgatory[T](name, timer, reaperEnabled = false)
  val producePurgatory: DelayedOperationPurgatory[DelayedProduce] = purgatory("Produce")
  val fetchPurgatory: DelayedOperationPurgatory[DelayedFetch] = purgatory("Fetch")
  val deletePurgatory: DelayedOperationPurgatory[DelayedDeleteRecords] = purgatory("DeleteRecords")
  val electPurgatory: DelayedOperationPurgatory[DelayedElectLeader] = purgatory("ElectLeader")
  val isShuttingDown = new AtomicBoolean(false)
  val metadata = new BrokerMetadata(this)

  val replicaManager: ReplicaManager = new VersionReplicaManager(this) {
    override protected def createReplicaFetcherManager(m: Metrics, t: Time, prefix: Option[String],
        quota: ReplicationQuotaManager) = new PausedFetcherManager(BrokerProcess.this, this, m, t, prefix, quota)
    override protected def createReplicaAlterLogDirsManager(quota: ReplicationQuotaManager, s: BrokerTopicStats) =
      new PausedMoverManager(BrokerProcess.this, this, quota, s)

    override def readFromLocalLog(replica: Int, onlyFromLeader: Boolean, isolation: FetchIsolation, most: Int,
        isHard: Boolean, asked: Seq[(TopicPartition, PartitionData)], quota: ReplicaQuota,
        client: Option[ClientMetadata]): Seq[(TopicPartition, LogReadResult)] = {
      val read = super.readFromLocalLog(replica, onlyFromLeader, isolation, most, isHard, asked, quota, client)
      PausableCall.stopAt(Pause.READ, Pause.NONE)
      read
    }
  }

  def threads: Seq[(Int, Int, SteppedThread)] = {
    val fetchers = replicaManager.replicaFetcherManager.fetcherThreadMap.toSeq
    val movers = replicaManager.replicaAlterLogDirsManager.fetcherThreadMap.toSeq
    (fetchers ++ movers)
      .map { case (key, thread) => (key.brokerId, key.fetcherId, thread.asInstanceOf[SteppedThread]) }
      .sortBy { case (leader, fetcher, _) => (leader, fetcher) }
  }

  def thread(leader: Int, fetcher: Int): SteppedThread =
    threads.collectFirst { case (`leader`, `fetcher`, found) => found }
      .getOrElse(throw new CannotBeTaken(s"broker $id has no thread $fetcher for broker $leader"))

  def begin(call: PausableCall): Unit = {
    if (handler.isDefined) throw new CannotBeTaken(s"broker $id is at work on another request")
    handler = Some(call)
    proceed()
  }

  def proceed(): Unit = {
    val call = handler.getOrElse(throw new CannotBeTaken(s"broker $id is at work on no request"))
    try call.resume() finally if (call.isOver) handler = None
  }

  def abort(): Unit = {
    handler.get.end(new Aborted)
    handler = None
  }

  /** The handler of a fetch is held up after it has read. */
  def stallFetch(fetch: () => Unit): Unit = {
    if (stalledFetch.isDefined) throw new CannotBeTaken(s"broker $id has a handler that is held up")
    val call = new PausableCall(Pause.READ, fetch)
    call.resume()
    if (!call.isOver) stalledFetch = Some(call)
  }

  /** An error is answered, as `KafkaApis.handle` does, and that answer is not waited for. */
  def recordLate(): Unit = {
    val call = stalledFetch.getOrElse(throw new CannotBeTaken(s"broker $id has no handler that is held up"))
    stalledFetch = None
    try call.resume() catch { case _: ApiException => () }
  }

  /** As `KafkaServer.shutdown` does. */
  def shutDown(): Unit = {
    if (handler.isDefined) throw new CannotBeTaken(s"broker $id is at work on a request")
    endCalls()
    replicaManager.shutdown()
    logManager.shutdown()
    metrics.close()
  }

  private def endCalls(): Unit = {
    (handler ++ stalledFetch).foreach(_.end(new Killed))
    handler = None
    stalledFetch = None
  }

  /** The process ends: no code of a shutdown runs, only what the operating system does. */
  def kill(): Unit = {
    endCalls()
    for (log <- logManager.allLogs)
      CoreUtils.swallow(Private.call[Unit](classOf[Log], "closeHandlers", log), this)
    for (lock <- Private.get[Seq[FileLock]](classOf[LogManager], "dirLocks", logManager))
      CoreUtils.swallow(lock.destroy(), this)
    // One Java process has all processes: what stays registered keeps the memory of those that ended.
    for (directory <- config.logDirs)
      logManager.removeMetric("LogDirectoryOffline", Map("logDirectory" -> new File(directory).getAbsolutePath))
    metrics.close()
  }
}

/** Holds requests up around the change of fetchers. */
class PausedFetcherManager(broker: BrokerProcess, manager: ReplicaManager, metrics: Metrics, time: Time,
    prefix: Option[String], quota: ReplicationQuotaManager)
  extends ReplicaFetcherManager(broker.config, manager, metrics, time, prefix, quota) with FailureClearing {

  override def createFetcherThread(fetcher: Int, source: BrokerEndPoint): ReplicaFetcherThread =
    new SteppedFetcherThread(s"fetcher-$fetcher-${source.id}", fetcher, source, broker.config, failedPartitions,
      replicaManager, metrics, broker.cluster.time, quota,
      new AnswersOnTheirWay(broker.cluster, source.id), broker.cluster)

  /** `makeLeaders` removes before it changes the partition, `makeFollowers` after it did. */
  override def removeFetcherForPartitions(partitions: Set[TopicPartition]): KafkaVersion.Removed = {
    if (partitions.nonEmpty) PausableCall.stopAt(Pause.FOLLOWER, Pause.FETCHED)
    if (broker.resizePausesAt.forall(p => partitions.exists(_.partition == p)))
      PausableCall.stopAt(Pause.RESIZED, Pause.NONE)
    val removed = super.removeFetcherForPartitions(partitions)
    if (partitions.nonEmpty) PausableCall.stopAt(Pause.LEADER, Pause.MOVER)
    removed
  }
}

/** Holds requests up before the move of a log goes on. */
class PausedMoverManager(broker: BrokerProcess, manager: ReplicaManager, quota: ReplicationQuotaManager,
    stats: BrokerTopicStats) extends ReplicaAlterLogDirsManager(broker.config, manager, quota, stats) {

  override def createFetcherThread(fetcher: Int, source: BrokerEndPoint): ReplicaAlterLogDirsThread =
    new SteppedMoverThread(s"mover-$fetcher", source, broker.config, failedPartitions, manager, quota, stats)

  override def addFetcherForPartitions(partitions: Map[TopicPartition, InitialFetchState]): Unit = {
    if (partitions.nonEmpty) PausableCall.current.foreach(_.pause(Pause.MOVER, Pause.NONE))
    super.addFetcherForPartitions(partitions)
  }
}
