package kafka.server

import java.lang.reflect.Proxy
import java.nio.ByteBuffer
import java.util
import java.util.concurrent.{TimeUnit, TimeoutException}
import java.util.{Optional, OptionalLong}

import kafka.coordinator.transaction.TransactionCoordinator
import kafka.server.metadata._
import kafka.utils.Logging
import org.apache.kafka.common.protocol.{ApiMessage, ByteBufferAccessor, ObjectSerializationCache}
import org.apache.kafka.common.utils.LogContext
import org.apache.kafka.coordinator.group.GroupCoordinator
import org.apache.kafka.coordinator.share.ShareCoordinator
import org.apache.kafka.image.{MetadataDelta, MetadataImage}
import org.apache.kafka.image.loader.MetadataLoader
import org.apache.kafka.metadata.MetadataRecordSerde
import org.apache.kafka.metadata.publisher.AclPublisher
import org.apache.kafka.raft.Batch
import org.apache.kafka.raft.internals.MemoryBatchReader
import org.apache.kafka.server.common.{ApiMessageAndVersion, KRaftVersion}
import org.apache.kafka.server.config.ConfigType
import org.apache.kafka.server.fault.FaultHandler

import scala.jdk.CollectionConverters._

/** The metadata cache, in which all other brokers look fenced as long as that is asked for. */
class HidingMetadataCache(id: Int) extends KRaftMetadataCache(id, () => KRaftVersion.KRAFT_VERSION_0) {
  var hidesBrokers = false
  override def isBrokerFenced(broker: Int): Boolean = hidesBrokers || super.isBrokerFenced(broker)
}

/** The loader of a broker, and its one publisher; coordinators, quotas and credentials do nothing. */
class BrokerMetadata(broker: KraftBroker) {
  /** The last image that is delivered; -1 before the first. */
  var published: Int = -1
  private var delivered = -1L
  private val config = broker.config
  /** How often an error ended a publication; the broker goes on. */
  var failures: Int = 0
  private var fault: Option[RuntimeException] = None
  private val fatal: FaultHandler = (message, cause) => {
    val raised = new RuntimeException(message, cause)
    fault = fault.orElse(Some(raised))
    raised
  }
  private val faults: FaultHandler = (message, cause) => {
    failures += 1
    new RuntimeException(message, cause)
  }
  private val configHandlers = Map[ConfigType, ConfigHandler](
    ConfigType.TOPIC -> new TopicConfigHandler(broker.manager, config, broker.quotas),
    ConfigType.BROKER -> new BrokerConfigHandler(config, broker.quotas))
  private val publisher = new BrokerMetadataPublisher(config, broker.cache, broker.logs, broker.manager,
    idle(classOf[GroupCoordinator]), NoTransactions(broker), idle(classOf[ShareCoordinator]), null,
    new DynamicConfigPublisher(config, faults, configHandlers, "broker"),
    new DynamicClientQuotaPublisher(config, faults, "broker", null) {
      override def onMetadataUpdate(delta: MetadataDelta, image: MetadataImage): Unit = ()
    },
    new DynamicTopicClusterQuotaPublisher("", config, faults, "broker", broker.quotas),
    new ScramPublisher(config, faults, "broker", null) {
      override def onMetadataUpdate(delta: MetadataDelta, image: MetadataImage): Unit = ()
    },
    new DelegationTokenPublisher(config, faults, "broker", null) {
      override def onMetadataUpdate(delta: MetadataDelta, image: MetadataImage): Unit = ()
    },
    new AclPublisher(broker.id, faults, "broker", Optional.empty()), fatal, faults)
  private val loader = new MetadataLoader.Builder().setNodeId(broker.id).setFaultHandler(faults)
    .setHighWaterMarkAccessor(() => OptionalLong.of(quorum.offset(published) + 1)).build()

  private def quorum = broker.cluster.quorum

  /**
   * All images up to one are committed, and published at once. Returns when that is done.
   * A new process has the first image from a snapshot: that is a delta of its own.
   */
  def publish(image: Int): Unit = {
    val isFirst = published < 0
    published = image
    if (isFirst) deliver(quorum.offset(0))
    deliver(quorum.offset(image))
    if (isFirst) {
      loader.installPublishers(util.List.of(publisher)).get
      try publisher.firstPublishFuture.get(BrokerMetadata.Seconds, TimeUnit.SECONDS)
      catch { case e: TimeoutException => throw fault.getOrElse(new RuntimeException("nothing is published", e)) }
    }
    finish()
    broker.dropKnownAssignment()
  }

  /** Records that change nothing are published, if no image comes before them. */
  def publishNoOps(): Unit = {
    deliver(quorum.endOfNoOps(delivered))
    finish()
  }

  private def finish(): Unit = {
    KraftPrivate.call(classOf[MetadataLoader], "waitForAllEventsToBeHandled", loader)
    fault.foreach(throw _)
  }

  /** What Raft does: one reader for all batches up to an offset. */
  private def deliver(last: Long): Unit = {
    val batches = quorum.batches(delivered + 1, last).map { case (first, records) =>
      Batch.data[ApiMessageAndVersion](first, 1, 0L, 100, records.map(BrokerMetadata.read).asJava)
    }
    if (batches.nonEmpty) loader.handleCommit(MemoryBatchReader.of(batches.asJava, _ => ()))
    delivered = delivered.max(last)
  }

  def close(): Unit = loader.close()

  private def idle[T](coordinator: Class[T]): T = coordinator.cast(
    Proxy.newProxyInstance(coordinator.getClassLoader, Array[Class[_]](coordinator), (_, _, _) => null))
}

object BrokerMetadata {
  /** So long the loader of a broker that catches up can take. */
  val Seconds = 5L

  /** A record as a broker reads it: nothing is shared with the controller, nor with another broker. */
  private def read(record: ApiMessage): ApiMessageAndVersion = {
    val written = new ApiMessageAndVersion(record, record.highestSupportedVersion)
    val sizes = new ObjectSerializationCache
    val size = MetadataRecordSerde.INSTANCE.recordSize(written, sizes)
    val bytes = ByteBuffer.allocate(size)
    MetadataRecordSerde.INSTANCE.write(written, sizes, new ByteBufferAccessor(bytes))
    bytes.flip()
    MetadataRecordSerde.INSTANCE.read(new ByteBufferAccessor(bytes), size)
  }
}

object NoTransactions extends Logging {
  def apply(broker: KraftBroker): TransactionCoordinator =
    new TransactionCoordinator(null, null, () => null, null, null, broker.cluster.time, new LogContext) {
      override def startup(partitions: () => Int, expires: Boolean): Unit = ()
    }
}
