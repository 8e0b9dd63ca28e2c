package kafka.server

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.cluster.{Partition, PartitionView}
import org.apache.kafka.common.Uuid
import org.apache.kafka.common.utils.Utils
import org.apache.kafka.storage.internals.log.UnifiedLog

import scala.jdk.CollectionConverters._

/** What brokers have in memory and in their logs, and what they ask of the controller. */
class BrokerObservation(json: ObjectMapper, cluster: KraftBrokers) {
  private val quorum = cluster.quorum

  def state: ObjectNode = {
    val told = json.createObjectNode
    for (broker <- 0 until quorum.beginning.brokers) {
      val own = told.putObject(s"broker $broker")
      own.put("running", cluster.processes.contains(broker))
      cluster.processes.get(broker).foreach(tellProcess(own, _))
    }
    told
  }

  def acknowledged: Seq[Int] = cluster.acknowledged.toSeq.sorted

  private def tellProcess(told: ObjectNode, broker: KraftBroker): Unit = {
    told.put("epoch", known(broker.id, broker.epoch))
    told.put("published", broker.metadata.published).put("failed publications", broker.metadata.failures)
    cluster.asked.get(broker.id).filter(_.sender eq broker) match {
      case Some(asked) => tellRequest(told.putObject("request"), broker.id, asked)
      case None => told.put("request", "none")
    }
    if (broker.metadata.published >= 0 && quorum.beginning.movesReplicas) tellMove(told.putObject("move"), broker)
    if (broker.metadata.published >= 0) broker.manager.getPartition(cluster.partition) match {
      case HostedPartition.None => told.put("partition", "none")
      case HostedPartition.Offline(_) => told.put("partition", "offline")
      case HostedPartition.Online(partition) => tellPartition(told.putObject("partition"), broker, partition)
    }
  }

  private def tellRequest(told: ObjectNode, sender: Int, asked: AskedChange): Unit = {
    told.put("broker epoch", known(sender, asked.data.brokerEpoch))
    val partition = asked.data.topics.get(0).partitions.get(0)
    told.put("leader epoch", partition.leaderEpoch).put("partition epoch", partition.partitionEpoch)
    val members = told.putObject("isr")
    partition.newIsrWithEpochs.asScala.sortBy(_.brokerId).foreach(member => members.put(member.brokerId.toString,
      known(member.brokerId, member.brokerEpoch)))
  }

  private def tellPartition(told: ObjectNode, broker: KraftBroker, partition: Partition): Unit = {
    told.put("topic", partition.topicId.fold(-1)(quorum.modelTopicId))
    told.put("leader", partition.leaderReplicaIdOpt.getOrElse(-1)).put("leader epoch", partition.getLeaderEpoch)
      .put("partition epoch", partition.getPartitionEpoch)
    put(told, "replicas", PartitionView.replicas(partition))
    if (!quorum.beginning.movesReplicas) told.put("assignment", broker.assignment.fold(-1)(quorum.number(broker.id, _)))
    partition.log match {
      case Some(log) => tellLog(told, log)
      case None => told.put("log", "none")
    }
    if (partition.isLeader) tellLeader(told, partition) else tellFetcher(told, broker)
  }

  /** The future log and the thread that copies to it, what is to be told of directories, and what is on its way. */
  private def tellMove(told: ObjectNode, broker: KraftBroker): Unit = {
    broker.logs.getLog(cluster.partition, isFuture = true) match {
      case Some(log) => tellRecords(told.putObject("future log"), log)
      case None => told.put("future log", "none")
    }
    broker.moves.moving.flatMap(_.state) match {
      case Some(state) => told.putObject("thread").put("promotion", state.reassignmentState.toString.toUpperCase)
        .put("origin", state.currentDir.fold(-1)(quorum.number(broker.id, _)))
      case None => told.put("thread", "none")
    }
    told.put("to be told", toBeTold(broker).fold(-1)(quorum.number(broker.id, _)))
    broker.assignments.sent match {
      case Some(sent) => tellAssignment(told.putObject("told"), broker.id, sent)
      case None => told.put("told", "nothing")
    }
  }

  /** What is queued of a replica that the broker's image has; all else is dropped when it is to be sent. */
  private def toBeTold(broker: KraftBroker): Option[Uuid] = for {
    topic <- Option(broker.cache.currentImage().topics.getTopic(quorum.topic))
    partition <- Option(topic.partitions.get(quorum.partitionId))
    if partition.replicas.contains(broker.id)
    directory <- broker.assignments.queued(topic.id)
  } yield directory

  private def tellAssignment(told: ObjectNode, sender: Int, sent: SentAssignments): Unit = {
    val directory = sent.data.directories.get(0)
    told.put("epoch", known(sender, sent.data.brokerEpoch)).put("directory", quorum.number(sender, directory.id))
      .put("topic", quorum.modelTopicId(directory.topics.get(0).topicId))
  }

  private def tellLog(told: ObjectNode, log: UnifiedLog): Unit = {
    told.put("high watermark", log.highWatermark)
    tellRecords(told, log)
  }

  private def tellRecords(told: ObjectNode, log: UnifiedLog): Unit = {
    told.put("directory", cluster.number(log.parentDir)).put("end", log.logEndOffset)
    val records = told.putArray("log")
    for (segment <- log.logSegments.asScala; batch <- segment.log.batches.asScala; record <- batch.asScala)
      records.addArray().add(new String(Utils.toArray(record.value)).toInt).add(batch.partitionLeaderEpoch)
  }

  private def tellLeader(told: ObjectNode, partition: Partition): Unit = {
    put(told, "isr", PartitionView.isr(partition))
    put(told, "maximal isr", PartitionView.maximalIsr(partition))
    told.put("pending", PartitionView.isPending(partition)).put("epoch start", PartitionView.epochStart(partition))
    val followers = told.putObject("followers")
    for (follower <- PartitionView.followers(partition)) {
      val state = follower.stateSnapshot
      followers.putObject(follower.brokerId.toString).put("end", state.logEndOffset)
        .put("epoch", known(follower.brokerId, state.brokerEpoch.orElse(-1L)))
    }
  }

  private def tellFetcher(told: ObjectNode, broker: KraftBroker): Unit = {
    val found = broker.fetchers.all.flatMap(thread => thread.fetchState(cluster.partition).map(thread -> _)).toSeq
    found match {
      case Seq((thread, state)) => told.putObject("fetcher").put("leader", thread.leader.brokerEndPoint.id)
        .put("epoch", state.currentLeaderEpoch).put("offset", state.fetchOffset)
      case Seq() => told.put("fetcher", "none")
      case _ => told.put("fetcher", "several")
    }
  }

  private def known(broker: Int, epoch: Long): Int = if (epoch < 0) -1 else quorum.modelEpoch(broker, epoch)

  private def put(told: ObjectNode, name: String, values: Seq[Int]): Unit = {
    val array = told.putArray(name)
    values.foreach(array.add)
  }
}
