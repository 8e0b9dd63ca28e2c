package kafka.server

import java.io.{File, RandomAccessFile}
import java.nio.ByteBuffer
import java.nio.file.Files
import java.util.Properties

import kafka.cluster.{Broker, Partition}
import kafka.log.{Log, LogConfig, LogManager}
import kafka.utils.MockTime
import kafka.zk.ZooKeeperNodes
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.network.ListenerName
import org.apache.kafka.common.record._
import org.apache.kafka.common.security.auth.SecurityProtocol
import org.apache.kafka.common.utils.Utils

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** How large a cluster is, as the bounds of the model say. `fetchSize` is in records; 0 is no limit. */
case class Size(brokers: Int, partitions: Int, directories: Int, fetchers: Int, fetchSize: Int)

/** Some brokers with their directories on disk, a ZooKeeper that is a map, and a clock that stands still. */
class BrokerCluster(val size: Size, root: File) {
  val time = new MockTime
  val zooKeeper = new ZooKeeperNodes(time)
  val ids: Seq[Int] = 0 until size.brokers
  val partitions: Seq[TopicPartition] = (0 until size.partitions).map(partition)
  /** Records that a producer was told of that waits for all in sync, by partition, and what a consumer read. */
  val acknowledged = mutable.ArrayBuffer[(Int, Int)]()
  var consumed: Seq[Int] = Seq()
  /** The dynamic configuration num.replica.fetchers of each broker, which a new process finds. */
  val fetchers = mutable.ArraySeq.fill(size.brokers)(size.fetchers)
  private val failedDirectories = mutable.Set[File]()
  private val brokenLogs = mutable.Map[(Int, TopicPartition), File]()
  private val processes = mutable.ArraySeq.tabulate[Option[BrokerProcess]](size.brokers)(id => Some(new BrokerProcess(this, id)))

  def partition(number: Int): TopicPartition = new TopicPartition(BrokerCluster.Topic, number)
  def endpoint(id: Int) =
    new Broker(id, s"host$id", 9000 + id, ListenerName.normalised("PLAINTEXT"), SecurityProtocol.PLAINTEXT)

  def broker(id: Int): Option[BrokerProcess] = processes(id)
  def running(id: Int): BrokerProcess =
    processes(id).getOrElse(throw new CannotBeTaken(s"broker $id does not run"))
  /** For what a broker asks another one: the error is one of the network. */
  def brokerThatRuns(id: Int): BrokerProcess =
    processes(id).getOrElse(throw new java.io.IOException(s"broker $id does not run"))

  def crash(id: Int): Unit = {
    running(id).kill()
    processes(id) = None
  }

  def restart(id: Int): Unit = {
    if (processes(id).isDefined) throw new CannotBeTaken(s"broker $id runs")
    processes(id) = Some(new BrokerProcess(this, id))
  }

  def shutDown(id: Int): Unit = {
    running(id).shutDown()
    processes(id) = None
  }

  /** A process cannot load its logs. It ends as `KafkaServer.startup` does, or it is killed there. */
  def failToStart(id: Int, isKilled: Boolean): Unit = {
    if (processes(id).isDefined) throw new CannotBeTaken(s"broker $id runs")
    val directories = (0 to size.directories).map(directory(id, _)).filter(isGood)
    val unreadable = directories.map(new File(_, s"${BrokerCluster.UnreadableLog}-0"))
    for (folder <- unreadable) {
      folder.mkdirs()
      new File(folder, "none" + Log.LogFileSuffix).createNewFile()
    }
    val hasFailed = try { new BrokerProcess(this, id, isKilled); false } catch { case _: NumberFormatException => true }
    if (!hasFailed) throw new IllegalStateException("the logs were loaded")
    BrokerCluster.awaitPools()
    unreadable.foreach(Utils.delete(_))
    // The lock of a process that is gone is held by this Java process: the next one locks a new file.
    directories.foreach(new File(_, BrokerCluster.LockFile).delete())
  }

  /** Whether the process before shut down cleanly, by what it left. */
  def isMarked(broker: Int): Boolean =
    (0 until size.directories).exists(number => new File(directory(broker, number), Log.CleanShutdownFile).exists)

  def directory(broker: Int, number: Int) = new File(root, s"b$broker-d$number")

  /** Every access fails from now on: open files are closed, and a plain file stands where the directory was. */
  def failDirectory(broker: Int, number: Int): Unit = {
    val failing = directory(broker, number)
    failedDirectories += failing
    for (process <- processes(broker); log <- process.logManager.allLogs if log.dir.getParentFile == failing;
         segment <- log.logSegments) segment.log.closeHandlers()
    failing.renameTo(new File(failing.getPath + ".bad"))
    failing.createNewFile()
  }

  def isGood(directory: File): Boolean = !failedDirectories.contains(directory)

  /** The last record of a broker that does not run was not flushed, and is not on its disk. */
  def loseTail(broker: Int, partition: TopicPartition): Unit = {
    if (processes(broker).isDefined) throw new CannotBeTaken(s"broker $broker runs")
    val segments = for (number <- 0 until size.directories; folder = new File(directory(broker, number), partition.toString)
      if folder.isDirectory; file <- folder.listFiles if file.getName.endsWith(Log.LogFileSuffix) && file.length > 0) yield file
    if (segments.isEmpty) throw new CannotBeTaken(s"broker $broker has no record of $partition")
    val last = new RandomAccessFile(segments.maxBy(_.getName), "rw")
    try last.setLength(last.length - RecordBatches.Bytes) finally last.close()
  }

  /** The start of a log was not written since the last record was deleted. */
  def loseLogStart(broker: Int, partition: TopicPartition): Unit = {
    if (processes(broker).isDefined) throw new CannotBeTaken(s"broker $broker runs")
    val Start = s"${partition.topic} ${partition.partition} (\\d+)".r
    val files = for (number <- 0 until size.directories; file = new File(directory(broker, number), LogManager.LogStartOffsetCheckpointFile)
      if file.isFile) yield file
    val lowered = for (file <- files; lines = Files.readAllLines(file.toPath).asScala if lines.exists(Start.matches)) yield
      Files.write(file.toPath, lines.map {
        case Start(offset) => s"${partition.topic} ${partition.partition} ${offset.toLong - 1}"
        case line => line
      }.asJava)
    if (lowered.isEmpty) throw new CannotBeTaken(s"broker $broker has stored no start of $partition")
  }

  /** The next append to the current log of a partition, or cut of it, raises an error that is not expected. */
  def breakLog(broker: Int, partition: TopicPartition): Unit =
    brokenLogs((broker, partition)) = pathOfLog(broker, partition)

  def raiseIfBroken(broker: Int, partition: TopicPartition): Unit =
    if (brokenLogs.remove((broker, partition)).contains(pathOfLog(broker, partition)))
      throw new RuntimeException("the log is broken")

  /** A log that was deleted or replaced is not broken any more; so is none that was created in its place. */
  def forgetReplacedLogs(): Unit =
    brokenLogs.filterInPlace { case ((broker, partition), path) =>
      processes(broker).isEmpty || processes(broker).exists(_.logManager.getLog(partition).forall(_.dir == path))
    }
  def forgetDeletedLog(broker: Int, partition: TopicPartition): Unit = brokenLogs -= ((broker, partition))

  private def pathOfLog(broker: Int, partition: TopicPartition): File =
    processes(broker).flatMap(_.logManager.getLog(partition)).map(_.dir).getOrElse {
      val folders = (0 until size.directories).map(number => new File(directory(broker, number), partition.toString))
      folders.find(_.isDirectory).getOrElse(folders(partition.partition % size.directories))
    }

  def properties(id: Int): Properties = {
    // The last directory is never used: a broker halts when the last one fails.
    val directories = (0 to size.directories).map(directory(id, _))
    directories.filter(isGood).foreach(_.mkdirs())
    val properties = new Properties
    def set(key: String, value: Any): Unit = properties.put(key, value.toString)
    set("broker.id", id)
    set("zookeeper.connect", "none:1")
    set("listeners", "PLAINTEXT://localhost:0")
    set("log.dirs", directories.map(_.getAbsolutePath).mkString(","))
    set("num.replica.fetchers", fetchers(id))
    set("num.replica.alter.log.dirs.threads", size.fetchers)
    set("replica.fetch.backoff.ms", Int.MaxValue) // a delay ends when it is told to
    set("replica.fetch.max.bytes", RecordBatches.Bytes) // one record of each partition
    set("replica.lag.time.max.ms", BrokerCluster.LagMs)
    properties
  }

  def logProperties: Properties = {
    val properties = new Properties
    properties.put(LogConfig.SegmentIndexBytesProp, "4096") // not 10 MB for each segment
    properties.put(LogConfig.SegmentMsProp, Long.MaxValue.toString)
    properties.put(LogConfig.RetentionMsProp, "-1")
    properties
  }

  def hosted(broker: Int, partition: TopicPartition): Partition =
    BrokerCluster.online(running(broker).replicaManager, partition)
      .getOrElse(throw new CannotBeTaken(s"broker $broker does not host $partition"))

  def close(): Unit = {
    processes.flatten.foreach(_.kill())
    Utils.delete(root)
  }
}

object BrokerCluster {
  /** 31 * "x".hashCode is a multiple of 60, so that a partition's thread is its number modulo the threads. */
  val Topic = "x"
  val LagMs = 30000
  val UnreadableLog = "unreadable"
  private val LockFile = ".lock"

  /** Threads that load logs end with their pools, also where another one raised an error. */
  def awaitPools(): Unit =
    Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith("pool-")).foreach(_.join())

  def online(manager: ReplicaManager, partition: TopicPartition): Option[Partition] =
    manager.getPartition(partition) match {
      case HostedPartition.Online(found) => Some(found)
      case _ => None
    }
}

/** Batches of one record, all of one length; the value of a record is its id. */
object RecordBatches {
  private val CrcPosition = 17

  def of(id: Int): MemoryRecords = MemoryRecords.withRecords(CompressionType.NONE,
    new SimpleRecord(1L, ByteBuffer.allocate(4).putInt(id).array))
  val Bytes: Int = of(0).sizeInBytes

  def id(record: Record): Int = record.value.getInt(record.value.position())

  /** Records as they are now. Those of a file would be read later, when the file may be cut. */
  def copied(records: BaseRecords): Records = records match {
    case file: FileRecords =>
      val buffer = ByteBuffer.allocate(file.sizeInBytes)
      file.readInto(buffer, 0)
      MemoryRecords.readableRecords(buffer)
    case others: Records => others
  }

  def corrupt(records: BaseRecords): Unit = {
    val buffer = records.asInstanceOf[MemoryRecords].buffer
    if (buffer.limit <= CrcPosition) throw new CannotBeTaken("no record is on its way")
    buffer.put(CrcPosition, (buffer.get(CrcPosition) ^ 1).toByte)
  }
}
