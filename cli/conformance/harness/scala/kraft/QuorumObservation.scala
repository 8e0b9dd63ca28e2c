package org.apache.kafka.controller

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.kafka.common.Uuid
import org.apache.kafka.common.metadata.PartitionChangeRecord
import org.apache.kafka.metadata.{BrokerRegistration, LeaderRecoveryState, PartitionRegistration}

import scala.jdk.CollectionConverters._

/** What the controller has in memory, what an image has, and what the last event wrote. */
class QuorumObservation(json: ObjectMapper, quorum: MetadataQuorum, answer: ObjectNode) {
  private val managers = quorum.managers

  def state: ObjectNode = {
    val told = json.createObjectNode
    val memory = told.putObject("memory")
    for (id <- quorum.currentTopicId; partition <- quorum.partition)
      tellPartition(memory.putObject("partition"), id, partition)
    managers.cluster.brokerRegistrations.values.asScala.foreach { broker =>
      tellBroker(memory, broker)
      if (!broker.fenced) memory.withObject(s"/broker ${broker.id}").put("session", hasSession(broker))
    }
    for (broker <- 0 until quorum.beginning.brokers) {
      val own = memory.withObject(s"/broker $broker")
      managers.cluster.registerBrokerRecordOffset(broker).ifPresent(offset =>
        own.put("registered", quorum.imageOf(offset)))
      own.put("in index of the ELR", managers.replication.brokersToElrs.partitionsWithBrokerInElr(broker).asScala.size)
    }
    memory.put("min.insync.replicas", managers.configs.clusterConfig.get("min.insync.replicas").toString.toInt)
    memory.put("has ELR", managers.features.isElrFeatureEnabled)
    val image = told.putObject("image")
    for (topic <- Option(quorum.image.topics.getTopic(quorum.topic));
         partition <- Option(topic.partitions.get(quorum.partitionId)))
      tellPartition(image.putObject("partition"), topic.id, partition)
    quorum.image.cluster.brokers.values.asScala.foreach(tellBroker(image, _))
    tellWritten(told.putObject("written"))
    told.set[ObjectNode]("answer", answer)
    told
  }

  private def hasSession(broker: BrokerRegistration): Boolean =
    managers.cluster.heartbeatManager.tracker.hasValidSession(new BrokerIdAndEpoch(broker.id, broker.epoch))

  private def tellBroker(told: ObjectNode, broker: BrokerRegistration): Unit = {
    val own = told.putObject(s"broker ${broker.id}")
    own.put("epoch", quorum.modelEpoch(broker.id, broker.epoch)).put("fenced", broker.fenced)
      .put("shutting down", broker.inControlledShutdown)
    putSorted(own, "directories", broker.directories.asScala.map(quorum.number(broker.id, _)).toSeq)
  }

  private def tellPartition(told: ObjectNode, topicId: Uuid, partition: PartitionRegistration): Unit = {
    told.put("topic", quorum.modelTopicId(topicId))
    told.put("leader", partition.leader).put("leader epoch", partition.leaderEpoch)
      .put("partition epoch", partition.partitionEpoch)
      .put("recovering", partition.leaderRecoveryState == LeaderRecoveryState.RECOVERING)
    put(told, "replicas", partition.replicas.toSeq)
    putSorted(told, "isr", partition.isr.toSeq)
    putSorted(told, "elr", partition.elr.toSeq)
    put(told, "last known leader", partition.lastKnownElr.toSeq)
    putSorted(told, "adding", partition.addingReplicas.toSeq)
    putSorted(told, "removing", partition.removingReplicas.toSeq)
    tellDirectories(told, partition.replicas.toSeq, partition.directories.toSeq)
  }

  private def tellDirectories(told: ObjectNode, replicas: Seq[Int], directories: Seq[Uuid]): Unit = {
    val own = told.putObject("directories")
    for ((replica, directory) <- replicas.zip(directories)) own.put(replica.toString, quorum.number(replica, directory))
  }

  /** Kinds of records, and of those that change the partition which fields they name, with the last value. */
  private def tellWritten(told: ObjectNode): Unit = {
    val changes = quorum.written.collect { case r: PartitionChangeRecord if r.partitionId == quorum.partitionId => r }
    val kinds = told.putArray("records")
    quorum.written.map(_.getClass.getSimpleName).filter(_ != "PartitionChangeRecord").distinct.sorted.foreach(kinds.add)
    told.put("changes of the partition", changes.size)
    val fields = told.putObject("fields")
    changes.foreach(tellFields(fields, _))
  }

  private def tellFields(told: ObjectNode, change: PartitionChangeRecord): Unit = {
    if (change.leader != -2) told.put("leader", change.leader)
    if (change.leaderRecoveryState >= 0) told.put("recovering", change.leaderRecoveryState == 1)
    def numbers(name: String, value: java.util.List[Integer]): Unit =
      if (value != null) putSorted(told, name, value.asScala.map(_.intValue).toSeq)
    numbers("isr", change.isr)
    numbers("elr", change.eligibleLeaderReplicas)
    numbers("last known leader", change.lastKnownElr)
    numbers("adding", change.addingReplicas)
    numbers("removing", change.removingReplicas)
    if (change.replicas != null) put(told, "replicas", change.replicas.asScala.map(_.intValue).toSeq)
    if (change.directories != null) {
      val replicas = Option(change.replicas).map(_.asScala.map(_.intValue).toSeq)
      replicas.orElse(quorum.partition.map(_.replicas.toSeq))
        .foreach(tellDirectories(told, _, change.directories.asScala.toSeq))
    }
  }

  private def put(told: ObjectNode, name: String, values: Seq[Int]): Unit = {
    val array = told.putArray(name)
    values.foreach(array.add)
  }

  private def putSorted(told: ObjectNode, name: String, values: Seq[Int]): Unit = put(told, name, values.sorted)
}
