package org.apache.kafka.controller

import java.util

import kafka.server.{Arguments, CannotBeTaken}
import org.apache.kafka.common.{DirectoryId, Uuid}
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.message.{AlterPartitionResponseData, AssignReplicasToDirsResponseData}
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
  minIsr: Int, hasElr: Boolean, allowsUncleanElections: Boolean, firstPartitionReplicas: Int, movesReplicas: Boolean)

object Beginning {
  def of(arguments: Arguments): Beginning = Beginning(arguments.int("brokers"), arguments.int("directories"),
    arguments.list("replicas"), arguments.int("leader"), arguments.int("unassigned") == 1, arguments.int("min_isr"),
    arguments.int("elr") == 1, arguments.int("unclean") == 1, arguments.int("first_partition_replicas"),
    arguments.int("moves") == 1)
}

/**
 * The active controller's managers, the metadata log that it appends to, and the image that brokers have of it.
 * The model counts events of the controller, which it calls images; Kafka counts records.
 */
class MetadataQuorum(val beginning: Beginning) {
  val time = new MockTime
  val topic = "x"
  /** The partition of the model; another one comes before it if that has another replication factor. */
  val partitionId: Int = if (beginning.firstPartitionReplicas == 0) 0 else 1
  var managers = new ControllerManagers(time)
  /** What a node has that publishes each event by itself. */
  var image: MetadataImage = MetadataImage.EMPTY
  /** Records of the last event. */
  var written: Seq[ApiMessage] = Nil
  /** What each broker's last AlterPartition request was answered. */
  val answers: mutable.Map[Int, AlterPartitionResponseData] = mutable.Map()
  /** What each broker's last AssignReplicasToDirs request was answered. */
  val assigned: mutable.Map[Int, AssignReplicasToDirsResponseData] = mutable.Map()
  private val log = mutable.ArrayBuffer[ApiMessage]()
  private val ends = mutable.Map[Int, Long]()
  private val images = mutable.Map[Int, MetadataImage]()
  private val epochs = mutable.Map[(Int, Int), Long]()
  private val processes = mutable.Map[Int, Int]().withDefaultValue(0)
  private val topicIds = mutable.Map(0 -> new Uuid(7, 7))

  begin()

  def nextOffset: Long = log.size

  /** Offset of the last record of an image; -1 if there is none. */
  def offset(image: Int): Long = if (image < 0) -1 else ends.getOrElse(image,
    throw new CannotBeTaken(s"there is no image $image"))

  /** Records of some offsets, those of an image together, by the offset of the first one. */
  def batches(first: Long, last: Long): Seq[(Long, Seq[ApiMessage])] = {
    val cuts = (ends.values.filter(end => end >= first && end < last).toSeq :+ last).sorted.distinct
    val begins = first +: cuts.init.map(_ + 1)
    begins.zip(cuts).map { case (from, to) => from -> log.slice(from.toInt, to.toInt + 1).toSeq }.filter(_._2.nonEmpty)
  }

  /** Offset of the last record that changes nothing, of those directly after an offset; if there is none, that offset. */
  def endOfNoOps(offset: Long): Long = offset + log.drop((offset + 1).toInt).takeWhile(_.isInstanceOf[NoOpRecord]).size

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
  /** The epoch of a registration that a failover lost is used again. */
  def learnEpoch(broker: Int, epoch: Int, own: Long): Unit = {
    epochs.filterInPlace { case ((other, _), used) => other != broker || used != own }
    epochs((broker, epoch)) = own
  }
  /** The model's broker epoch by Kafka's; if it has none, one that no broker has. */
  def modelEpoch(broker: Int, own: Long): Int =
    epochs.collect { case ((`broker`, epoch), `own`) => epoch }.maxOption.getOrElse(-2)

  def topicNames: util.Map[Uuid, String] = topicIds.values.map(_ -> topic).toMap.asJava
  /** Id of a topic of the one name, by the model's. */
  def topicId(topic: Int): Uuid = topicIds(topic)
  def learnTopicId(topic: Int, own: Uuid): Unit = topicIds(topic) = own
  def modelTopicId(own: Uuid): Int = topicIds.collectFirst { case (topic, `own`) => topic }.getOrElse(-2)

  def directory(broker: Int, number: Int): Uuid = new Uuid(1000 + broker, 1000 + number)
  def directories(broker: Int, numbers: Seq[Int]): util.List[Uuid] = numbers.map(directory(broker, _)).asJava
  /** Number of a directory, -1 if it is not known. */
  def number(broker: Int, directory: Uuid): Int = directory match {
    case DirectoryId.UNASSIGNED => -1
    case own if own.getMostSignificantBits == 1000 + broker => (own.getLeastSignificantBits - 1000).toInt
    case _ => -2
  }

  /** Id of the topic that there is for the controller. */
  def currentTopicId: Option[Uuid] = Option(managers.replication.getTopicId(topic))
  def partition: Option[PartitionRegistration] =
    currentTopicId.flatMap(id => Option(managers.replication.getPartition(id, partitionId)))

  /** An event of the controller: its records are replayed, and appended as the last of an image. */
  def write(number: Int, records: util.List[ApiMessageAndVersion]): Unit = {
    written = records.asScala.map(_.message).toSeq
    append(written)
    endImage(number)
  }

  /** A record that changes nothing; the next image has it, too. */
  def writeNoOp(): Unit = {
    written = Seq(new NoOpRecord)
    append(written)
  }

  /** Another controller, which has replayed the log up to the event after an image, becomes the active one. */
  def failOver(last: Int): Unit = {
    written = Nil
    val lost = log.drop((offset(last) + 1).toInt).dropWhile(_.isInstanceOf[NoOpRecord])
    log.dropRightInPlace(lost.size)
    ends.keys.filter(_ > last).foreach(ends.remove)
    image = images(last)
    managers = new ControllerManagers(time)
    log.zipWithIndex.foreach { case (record, offset) => managers.replay(record, offset) }
    managers.cluster.activate()
  }

  private def endImage(number: Int): Unit = {
    ends(number) = nextOffset - 1
    images(number) = image
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
    append(Seq(new TopicRecord().setName(topic).setTopicId(topicId(0))))
    if (from.allowsUncleanElections) append(Seq(new ConfigRecord().setResourceType(ConfigResource.Type.TOPIC.id)
      .setResourceName(topic).setName("unclean.leader.election.enable").setValue("true")))
    if (partitionId > 0) append(Seq(firstPartition))
    append(Seq(new PartitionRecord().setTopicId(topicId(0)).setPartitionId(partitionId).setReplicas(boxed(from.replicas))
      .setIsr(boxed(from.replicas)).setLeader(from.leader).setLeaderEpoch(0).setPartitionEpoch(0)
      .setDirectories(from.replicas.map(r => if (from.isUnassigned) DirectoryId.UNASSIGNED else directory(r, 0)).asJava)))
    endImage(0)
    managers.cluster.activate()
  }

  /** A partition of brokers that never register, and that nothing ever changes. */
  private def firstPartition: PartitionRecord = {
    val replicas = (0 until beginning.firstPartitionReplicas).map(_ + 100)
    new PartitionRecord().setTopicId(topicId(0)).setPartitionId(0).setReplicas(boxed(replicas)).setIsr(util.List.of())
      .setLeader(-1).setLeaderEpoch(0).setPartitionEpoch(0)
      .setDirectories(replicas.map(_ => DirectoryId.UNASSIGNED).asJava)
  }

  private def feature(name: String, level: Int) = new FeatureLevelRecord().setName(name).setFeatureLevel(level.toShort)

  private def minIsr(value: Int) = new ConfigRecord().setResourceType(ConfigResource.Type.BROKER.id)
    .setResourceName("").setName("min.insync.replicas").setValue(value.toString)

  private def boxed(numbers: Seq[Int]): util.List[Integer] = numbers.map(Integer.valueOf).asJava
}
