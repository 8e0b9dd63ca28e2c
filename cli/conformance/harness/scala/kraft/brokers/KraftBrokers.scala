package kafka.server

import java.io.File

import kafka.log.LogManager
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.message.AlterPartitionRequestData
import org.apache.kafka.common.utils.{MockTime, Utils}
import org.apache.kafka.controller.MetadataQuorum
import org.apache.kafka.metadata.properties.{MetaProperties, MetaPropertiesEnsemble, MetaPropertiesVersion, PropertiesUtils}
import org.apache.kafka.server.common.ControllerRequestCompletionHandler

import scala.collection.mutable

/** An AlterPartition request on its way, or answered. */
case class AskedChange(sender: KraftBroker, data: AlterPartitionRequestData, done: ControllerRequestCompletionHandler)

/** All brokers: their disks, and the processes that run. */
class KraftBrokers(val quorum: MetadataQuorum, val base: File) {
  val time = new MockTime
  val processes = mutable.Map[Int, KraftBroker]()
  val asked = mutable.Map[Int, AskedChange]()
  /** What producers with acks=all were told, by record. */
  val acknowledged = mutable.Set[Int]()
  val partition = new TopicPartition(quorum.topic, quorum.partitionId)
  /** How often the follower of the last step fetched. */
  var fetches = 1
  private val removed = mutable.Set[(Int, Int)]()

  Utils.delete(base)
  for (broker <- 0 until quorum.beginning.brokers) {
    for (number <- 0 until quorum.beginning.directories) format(broker, number)
    new File(base, s"metadata-$broker").mkdirs()
    start(broker)
    process(broker).epoch = quorum.epoch(broker, 0)
    process(broker).metadata.publish(0)
  }

  def process(broker: Int): KraftBroker =
    processes.getOrElse(broker, throw new CannotBeTaken(s"broker $broker does not run"))

  def folder(broker: Int, number: Int): File = new File(base, s"broker-$broker/$number").getAbsoluteFile
  def configured(broker: Int): Seq[Int] =
    (0 until quorum.beginning.directories).filterNot(number => removed((broker, number)))
  /** Number of a directory by its path. */
  def number(path: String): Int = new File(path).getName.toInt

  def start(broker: Int): Unit = {
    if (processes.contains(broker)) throw new CannotBeTaken(s"broker $broker runs")
    processes(broker) = new KraftBroker(this, broker)
  }

  def remove(broker: Int, number: Int): Unit = removed += ((broker, number))

  /** A disk dies: nothing in it can be read or written any more. */
  def fail(broker: Int, number: Int): Unit = {
    val dead = folder(broker, number)
    dead.renameTo(new File(dead.getPath + ".dead"))
    dead.createNewFile()
  }

  def submit(sender: KraftBroker, data: AlterPartitionRequestData, done: ControllerRequestCompletionHandler): Unit = {
    if (asked.contains(sender.id)) throw new CannotBeTaken(s"broker ${sender.id} has a request on its way")
    asked(sender.id) = AskedChange(sender, data, done)
  }

  def unlock(logs: LogManager): Unit =
    KraftPrivate.get[Iterable[AnyRef]](classOf[LogManager], "dirLocks", logs).foreach { lock =>
      try KraftPrivate.call(lock.getClass, "destroy", lock) catch { case _: Exception => () }
    }

  def close(): Unit = {
    processes.values.foreach(_.release())
    processes.clear()
  }

  private def format(broker: Int, number: Int): Unit = {
    val own = folder(broker, number)
    own.mkdirs()
    val properties = new MetaProperties.Builder().setVersion(MetaPropertiesVersion.V1).setClusterId("replicheck")
      .setNodeId(broker).setDirectoryId(quorum.directory(broker, number)).build().toProperties
    PropertiesUtils.writePropertiesFile(properties, new File(own, MetaPropertiesEnsemble.META_PROPERTIES_NAME).getPath, false)
  }
}

object KraftBrokers {
  val LagMs = 10000L
}
