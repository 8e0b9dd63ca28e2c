package kafka.server

import java.io.File
import java.util.{Optional, Properties}
import java.util.concurrent.{FutureTask, ScheduledFuture, Delayed, TimeUnit}

import kafka.cluster.Partition
import kafka.log.LogManager
import kafka.utils.CoreUtils
import org.apache.kafka.common.Uuid
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.requests.AlterPartitionRequest
import org.apache.kafka.common.utils.Time
import org.apache.kafka.server.common.{DirectoryEventHandler, TopicIdPartition}
import org.apache.kafka.server.config.ReplicationQuotaManagerConfig
import org.apache.kafka.server.purgatory.{DelayedOperation, DelayedOperationPurgatory}
import org.apache.kafka.server.quota.QuotaType
import org.apache.kafka.server.util.Scheduler
import org.apache.kafka.server.util.timer.{Timer, TimerTask}
import org.apache.kafka.storage.internals.log.{CleanerConfig, LogConfig, LogDirFailureChannel, ProducerStateManagerConfig}
import org.apache.kafka.storage.log.metrics.BrokerTopicStats

import scala.collection.mutable

/** One process of a broker, from start to end: metadata, logs and replicas, without network and without threads. */
class KraftBroker(val cluster: KraftBrokers, val id: Int) {
  /** As the controller answered; -1 before that. */
  var epoch: Long = -1
  /** The directory that the controller is to be told for the replica, and that was not told yet. */
  var assignment: Option[Uuid] = None
  private var assignedTopic: Option[Uuid] = None
  val config: KafkaConfig = KafkaConfig.fromProps(properties)
  config.dynamicConfig.initialize(None)
  val metrics = new Metrics
  val failures = new LogDirFailureChannel(config.logDirs.size)
  val stats = new BrokerTopicStats
  val cache = new HidingMetadataCache(id)
  val tasks = new SteppedTasks
  val quotas: QuotaFactory.QuotaManagers = {
    def quota(kind: QuotaType) = new ReplicationQuotaManager(new ReplicationQuotaManagerConfig, metrics, kind, cluster.time)
    new QuotaFactory.QuotaManagers(null, null, null, null, quota(QuotaType.LEADER_REPLICATION),
      quota(QuotaType.FOLLOWER_REPLICATION), quota(QuotaType.ALTER_LOG_DIRS_REPLICATION), Optional.empty())
  }
  val logs: LogManager = {
    val (live, dead) = cluster.configured(id).map(cluster.folder(id, _)).partition(_.isDirectory)
    new LogManager(live ++ dead, dead, cache, new LogConfig(config.extractLogConfigMap), new CleanerConfig(false), 1,
      1000L, 10000L, 10000L, 1000L, 60 * 60 * 1000, new ProducerStateManagerConfig(86400000, true), 600000, tasks, stats,
      failures, cluster.time, false, 30000L)
  }
  config.dynamicConfig.addBrokerReconfigurable(new DynamicLogConfig(logs))

  private val channel = new ControllerChannel((request, done) =>
    cluster.submit(this, request.asInstanceOf[AlterPartitionRequest].data, done))
  private val alterPartitions = new DefaultAlterPartitionManager(channel, tasks, cluster.time, id, () => epoch)
  val assignments = new DirectoryAssignments(this)
  private val directoryEvents = new DirectoryEventHandler {
    def handleAssignment(partition: TopicIdPartition, directory: Uuid, reason: String, done: Runnable): Unit =
      if (partition.partitionId == cluster.quorum.partitionId) {
        assignment = Some(directory)
        assignedTopic = Some(partition.topicId)
        assignments.queue(partition, directory, reason, done)
      }
    def handleFailure(directory: Uuid): Unit = ()
  }

  private def purgatory[T <: DelayedOperation](name: String) =
    Some(new DelayedOperationPurgatory[T](name, NoTimer, id, 1000, false, true))
  val manager: ReplicaManager = new ReplicaManager(config, metrics, cluster.time, tasks, logs, None, quotas, cache,
      failures, alterPartitions, stats,
      delayedProducePurgatoryParam = purgatory("Produce"), delayedFetchPurgatoryParam = purgatory("Fetch"),
      delayedDeleteRecordsPurgatoryParam = purgatory("DeleteRecords"),
      delayedRemoteFetchPurgatoryParam = purgatory("RemoteFetch"),
      delayedRemoteListOffsetsPurgatoryParam = purgatory("RemoteListOffsets"),
      delayedShareFetchPurgatoryParam = purgatory("ShareFetch"), brokerEpochSupplier = () => epoch,
      directoryEventHandler = directoryEvents) {
    override def startup(): Unit = ()
    override protected def createReplicaFetcherManager(m: Metrics, time: Time, prefix: Option[String],
        quota: ReplicationQuotaManager) = new SteppedFetcherManager(KraftBroker.this, this, m, time, quota)
    override protected def createReplicaAlterLogDirsManager(quota: ReplicationQuotaManager, stats: BrokerTopicStats) =
      new SteppedMoveManager(KraftBroker.this, this, quota, stats, directoryEvents)
  }
  val metadata = new BrokerMetadata(this)

  def fetchers: SteppedFetcherManager = manager.replicaFetcherManager.asInstanceOf[SteppedFetcherManager]
  def moves: SteppedMoveManager = manager.replicaAlterLogDirsManager.asInstanceOf[SteppedMoveManager]
  def partition: Partition = manager.getPartitionOrException(cluster.partition)

  /** The last AlterPartition request is sent again, after 50 ms. */
  def sendAgain(): Unit = tasks.run("send-alter-partition")

  /** What the metadata says already need not be told, and neither what is of a topic that is gone. */
  def dropKnownAssignment(): Unit = {
    val topic = Option(cache.currentImage().topics.getTopic(cluster.quorum.topic))
    if (assignedTopic != topic.map(_.id)) assignment = None
    val known = topic.flatMap(found => Option(found.partitions.get(cluster.quorum.partitionId)))
    if (known.exists(found => found.replicas.contains(id) && assignment.contains(found.directory(id)))) assignment = None
  }

  /** As `BrokerServer.shutdown` does, which goes on after an error. */
  def shutDown(): Unit = {
    metadata.close()
    assignments.close()
    CoreUtils.swallow(manager.shutdown(), NoTransactions)
    CoreUtils.swallow(logs.shutdown(epoch), NoTransactions)
    cluster.unlock(logs)
    metrics.close()
  }

  /** The process ends: high watermarks were written just before, and no code of a shutdown runs. */
  def kill(): Unit = {
    if (metadata.published >= 0) manager.checkpointHighWatermarks()
    release()
  }

  def release(): Unit = {
    metadata.close()
    assignments.close()
    logs.allLogs.foreach(log => try log.closeHandlers() catch { case _: Exception => () })
    cluster.unlock(logs)
    metrics.close()
  }

  private def properties: Properties = {
    val found = new Properties
    Seq("node.id" -> id, "process.roles" -> "broker", "controller.quorum.voters" -> "1000@localhost:9999",
      "controller.listener.names" -> "CONTROLLER", "listeners" -> s"PLAINTEXT://host:${9000 + id}",
      "advertised.listeners" -> s"PLAINTEXT://host:${9000 + id}",
      "listener.security.protocol.map" -> "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
      "log.dirs" -> cluster.configured(id).map(cluster.folder(id, _).getPath).mkString(","),
      "metadata.log.dir" -> new File(cluster.base, s"metadata-$id").getPath,
      "min.insync.replicas" -> cluster.quorum.beginning.minIsr, "replica.lag.time.max.ms" -> KraftBrokers.LagMs,
      // An answer to a fetch has one batch, which is one record, and comes at once.
      "replica.fetch.max.bytes" -> 1, "replica.fetch.response.max.bytes" -> 1, "replica.fetch.wait.max.ms" -> 0,
      "replica.fetch.backoff.ms" -> 0, "log.index.size.max.bytes" -> 4096)
      .foreach { case (key, value) => found.put(key, value.toString) }
    found
  }
}

/** What is to be done at once is done; what is to be done later waits, or is never done. */
class SteppedTasks extends Scheduler {
  private val waiting = mutable.Map[String, Runnable]()

  def startup(): Unit = ()
  def shutdown(): Unit = ()
  def resizeThreadPool(size: Int): Unit = ()

  def schedule(name: String, task: Runnable, delayMs: Long, periodMs: Long): ScheduledFuture[_] = {
    if (delayMs <= 0 && periodMs < 0) task.run() else if (periodMs < 0) waiting(name) = task
    new FutureTask[Void](() => null) with ScheduledFuture[Void] {
      def getDelay(unit: TimeUnit): Long = 0
      def compareTo(other: Delayed): Int = 0
    }
  }

  def run(name: String): Unit =
    waiting.remove(name).getOrElse(throw new CannotBeTaken(s"there is no task $name")).run()
}

/** No operation expires. */
object NoTimer extends Timer {
  def add(task: TimerTask): Unit = ()
  def advanceClock(timeoutMs: Long): Boolean = false
  def size(): Int = 0
  def close(): Unit = ()
}
