package org.apache.kafka.controller

import java.util

import kafka.server.{Arguments, CannotBeTaken}
import org.apache.kafka.common.{DirectoryId, Uuid}
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.message.AlterPartitionResponseData
import org.apache.kafka.common.metadata._
import org.apache.kafka.common.metadata.RegisterBrokerRecord.{BrokerEndpoint, BrokerEndpointCollection}
import org.apache.kafka.common.protocol.ApiMessage
import org.apache.kafka.common.utils.MockTime
import org.apache.kafka.image.{MetadataDelta, MetadataImage, MetadataProvenance}
import org.apache.kafka.metadata.PartitionRegistration
import org.apache.kafka.server.common.{ApiMessageAndVersion, EligibleLeaderReplicasVersion, MetadataVersion}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** How a run begins: brokers that are not fenced, and one partition. */
case class Beginning(brokers: Int, directories: Int, replicas: Seq[Int], leader: Int, isUnassigned: Boolean,
  minIsr: Int, hasElr: Boolean, allowsUncleanElections: Boolean, firstPartitionReplicas: Int)

object Beginning {
  def of(arguments: Arguments): Beginning = Beginning(arguments.int("brokers"), arguments.int("directories"),
    arguments.list("replicas"), arguments.int("leader"), arguments.int("unassigned") == 1, arguments.int("min_isr"),
    arguments.int("elr") == 1, arguments.int("unclean") == 1, arguments.int("first_partition_replicas"))
}

/**
 * The active controller's managers, the metadata log that it appends to, and the image that brokers have of it.
 * The model counts events of the controller, which it calls images; Kafka counts records.
 */
class MetadataQuorum(val beginning: Beginning) {
  val time = new MockTime
  val topic = "x"
  val topicId = new Uuid(7, 7)
  /** The partition of the model; another one comes before it if that has another replication factor. */
  val partitionId: Int = if (beginning.firstPartitionReplicas == 0) 0 else 1
  var managers = new ControllerManagers(time)
  var image: MetadataImage = MetadataImage.EMPTY
  /** Records of the last event. */
  var written: Seq[ApiMessage] = Nil
  /** What each broker's last AlterPartition request was answered. */
  val answers: mutable.Map[Int, AlterPartitionResponseData] = mutable.Map()
  private val log = mutable.ArrayBuffer[ApiMessage]()
  private val ends = mutable.Map[Int, Long]()
  private val epochs = mutable.Map[(Int, Int), Long]()
  private val processes = mutable.Map[Int, Int]().withDefaultValue(0)

  begin()

  def nextOffset: Long = log.size

  /** Offset of the last record of an image; -1 if there is none. */
  def offset(image: Int): Long = if (image < 0) -1 else ends.getOrElse(image,
    throw new CannotBeTaken(s"there is no image $image"))

  /** Records of an image, which come after those of the one before. */
  def records(image: Int): Seq[ApiMessage] = log.slice((offset(image - 1) + 1).toInt, (offset(image) + 1).toInt).toSeq

  /** Image that a record became a part of. */
  def imageOf(offset: Long): Int = ends.collect { case (image, end) if end >= offset => image }.minOption
    .getOrElse(throw new CannotBeTaken(s"there is no record at $offset"))

  def incarnation(broker: Int): Uuid = new Uuid(5000 + broker, 1 + processes(broker))
  def newIncarnation(broker: Int): Uuid = {
    processes(broker) += 1
    incarnation(broker)
  }

  /** Kafka's broker epoch, by the model's. */
  def epoch(broker: Int, epoch: Int): Long = epochs.getOrElse((broker, epoch), -1L)
  def learnEpoch(broker: Int, epoch: Int, own: Long): Unit = epochs((broker, epoch)) = own
  /** The model's broker epoch by Kafka's; if it has none, one that no broker has. */
  def modelEpoch(broker: Int, own: Long): Int =
    epochs.collect { case ((`broker`, epoch), `own`) => epoch }.maxOption.getOrElse(-2)

  def directory(broker: Int, number: Int): Uuid = new Uuid(1000 + broker, 1000 + number)
  def directories(broker: Int, numbers: Seq[Int]): util.List[Uuid] = numbers.map(directory(broker, _)).asJava
  /** Number of a directory, -1 if it is not known. */
  def number(broker: Int, directory: Uuid): Int = directory match {
    case DirectoryId.UNASSIGNED => -1
    case own if own.getMostSignificantBits == 1000 + broker => (own.getLeastSignificantBits - 1000).toInt
    case _ => -2
  }

  def partition: Option[PartitionRegistration] = Option(managers.replication.getPartition(topicId, partitionId))

  /** An event of the controller: its records are replayed, and appended as the last of an image. */
  def write(number: Int, records: util.List[ApiMessageAndVersion]): Unit = {
    written = records.asScala.map(_.message).toSeq
    append(written)
    ends(number) = nextOffset - 1
  }

  /** Another controller, which has replayed the log up to an image, becomes the active one. */
  def failOver(last: Int): Unit = {
    written = Nil
    log.dropRightInPlace((nextOffset - 1 - offset(last)).toInt)
    ends.keys.filter(_ > last).foreach(ends.remove)
    managers = new ControllerManagers(time)
    image = MetadataImage.EMPTY
    val kept = log.toSeq
    log.clear()
    append(kept)
    managers.cluster.activate()
  }

  private def append(records: Seq[ApiMessage]): Unit = if (records.nonEmpty) {
    val delta = new MetadataDelta.Builder().setImage(image).build()
    records.foreach { record =>
      managers.replay(record, nextOffset)
      delta.replay(record)
      log += record
    }
    image = delta.apply(new MetadataProvenance(nextOffset - 1, 1, time.milliseconds, true))
  }

  private def begin(): Unit = {
    val from = beginning
    append(Seq(feature(MetadataVersion.FEATURE_NAME, MetadataVersion.LATEST_PRODUCTION.featureLevel),
      feature(EligibleLeaderReplicasVersion.FEATURE_NAME, if (from.hasElr) 1 else 0),
      minIsr(from.minIsr)))
    for (broker <- 0 until from.brokers) {
      learnEpoch(broker, 0, nextOffset)
      append(Seq(new RegisterBrokerRecord().setBrokerId(broker).setBrokerEpoch(nextOffset).setFenced(false)
        .setIncarnationId(incarnation(broker)).setLogDirs(directories(broker, 0 until from.directories))
        .setEndPoints(new BrokerEndpointCollection(util.List.of(new BrokerEndpoint().setName("PLAINTEXT")
          .setHost("host").setPort(9000 + broker).setSecurityProtocol(0)).iterator))))
    }
    append(Seq(new TopicRecord().setName(topic).setTopicId(topicId)))
    if (from.allowsUncleanElections) append(Seq(new ConfigRecord().setResourceType(ConfigResource.Type.TOPIC.id)
      .setResourceName(topic).setName("unclean.leader.election.enable").setValue("true")))
    if (partitionId > 0) append(Seq(firstPartition))
    append(Seq(new PartitionRecord().setTopicId(topicId).setPartitionId(partitionId).setReplicas(boxed(from.replicas))
      .setIsr(boxed(from.replicas)).setLeader(from.leader).setLeaderEpoch(0).setPartitionEpoch(0)
      .setDirectories(from.replicas.map(r => if (from.isUnassigned) DirectoryId.UNASSIGNED else directory(r, 0)).asJava)))
    ends(0) = nextOffset - 1
    managers.cluster.activate()
  }

  /** A partition of brokers that never register, and that nothing ever changes. */
  private def firstPartition: PartitionRecord = {
    val replicas = (0 until beginning.firstPartitionReplicas).map(_ + 100)
    new PartitionRecord().setTopicId(topicId).setPartitionId(0).setReplicas(boxed(replicas)).setIsr(util.List.of())
      .setLeader(-1).setLeaderEpoch(0).setPartitionEpoch(0)
      .setDirectories(replicas.map(_ => DirectoryId.UNASSIGNED).asJava)
  }

  private def feature(name: String, level: Int) = new FeatureLevelRecord().setName(name).setFeatureLevel(level.toShort)

  private def minIsr(value: Int) = new ConfigRecord().setResourceType(ConfigResource.Type.BROKER.id)
    .setResourceName("").setName("min.insync.replicas").setValue(value.toString)

  private def boxed(numbers: Seq[Int]): util.List[Integer] = numbers.map(Integer.valueOf).asJava
}
