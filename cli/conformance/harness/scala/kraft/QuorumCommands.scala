package org.apache.kafka.controller

import java.util
import java.util.Collections
import java.util.AbstractMap.SimpleEntry

import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.server.{Arguments, CannotBeTaken}
import org.apache.kafka.clients.admin.{AlterConfigOp, FeatureUpdate}
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.message._
import org.apache.kafka.common.message.CreateTopicsRequestData.{CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfig}
import org.apache.kafka.common.message.BrokerRegistrationRequestData.{Feature, FeatureCollection, Listener, ListenerCollection}
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.utils.Time
import org.apache.kafka.server.common.{EligibleLeaderReplicasVersion, MetadataVersion}

import scala.jdk.CollectionConverters._

/** The steps of the model `kraft` as calls into the controller's managers; docs/kraft.md has them as a table. */
class QuorumCommands(quorum: MetadataQuorum, answer: ObjectNode) {
  private val steps: Map[String, Arguments => Unit] = scala.collection.immutable.ListMap(
    "nothing" -> (_ => ()),
    "register" -> register,
    "heartbeat" -> heartbeat,
    "fence" -> fence,
    "alter_partition" -> alterPartition,
    "elect" -> elect,
    "assign" -> assign,
    "reassign" -> reassign,
    "delete_topic" -> deleteTopic,
    "create_topic" -> createTopic,
    "unregister" -> (a => write(a, managers.replication.unregisterBroker(a.int("broker")))),
    "no_op" -> (_ => quorum.writeNoOp()),
    "change_min_isr" -> changeMinIsr,
    "switch_elr_off" -> switchElrOff,
    "fail_over" -> (a => quorum.failOver(a.int("image"))),
  )

  def names: Iterable[String] = steps.keys

  def take(name: String, arguments: Arguments): Unit =
    steps.getOrElse(name, throw new CannotBeTaken(s"there is no command $name"))(arguments)

  private def managers: ControllerManagers = quorum.managers

  private def write[T](arguments: Arguments, result: ControllerResult[T]): T = {
    quorum.write(arguments.int("image"), result.records)
    result.response
  }

  /** A new process registers, or with `again` one that is registered. */
  private def register(a: Arguments): Unit = {
    val broker = a.int("broker")
    val again = a.int("again") == 1
    if (!again) endSession(broker)
    val asked = new BrokerRegistrationRequestData().setBrokerId(broker).setClusterId(ControllerManagers.ClusterId)
      .setIncarnationId(if (again) quorum.incarnation(broker) else quorum.newIncarnation(broker))
      .setFeatures(features).setListeners(listeners(broker))
      .setLogDirs(quorum.directories(broker, a.list("directories")))
      .setPreviousBrokerEpoch(quorum.epoch(broker, a.int("previous")))
    val reply = write(a, managers.cluster.registerBroker(asked, quorum.nextOffset, managers.finalizedFeatures, true))
    if (!again) quorum.learnEpoch(broker, a.int("epoch"), reply.epoch)
    answer.put("epoch", quorum.modelEpoch(broker, reply.epoch))
  }

  private def heartbeat(a: Arguments): Unit = {
    val broker = a.int("broker")
    val epoch = quorum.epoch(broker, a.int("epoch"))
    val manager = managers.cluster.heartbeatManager
    for (Seq(active, published) <- a.lists("active")) manager.touch(active, false, quorum.offset(published))
    managers.cluster.trackBrokerHeartbeat(broker, epoch)
    val asked = new BrokerHeartbeatRequestData().setBrokerId(broker).setBrokerEpoch(epoch)
      .setCurrentMetadataOffset(quorum.offset(a.int("published"))).setWantFence(a.int("want_fence") == 1)
      .setWantShutDown(a.int("want_shut_down") == 1)
      .setOfflineLogDirs(quorum.directories(broker, a.list("offline")))
    val registered = managers.cluster.registerBrokerRecordOffset(broker).getAsLong
    val reply = write(a, managers.replication.processBrokerHeartbeat(asked, registered))
    if (reply.inControlledShutdown) manager.maybeUpdateControlledShutdownOffset(broker, quorum.nextOffset - 1)
    answer.put("fenced", reply.isFenced).put("released", reply.shouldShutDown)
  }

  /** The session of one broker ends, and those of all others do not. */
  private def fence(a: Arguments): Unit = {
    endSession(a.int("broker"))
    var fenced = managers.replication.maybeFenceOneStaleBroker()
    while (fenced.records.isEmpty && fenced.response) fenced = managers.replication.maybeFenceOneStaleBroker()
    write(a, fenced)
  }

  private def endSession(broker: Int): Unit = {
    quorum.time.sleep(ControllerManagers.SessionTimeoutMs + 1)
    managers.cluster.brokerRegistrations.values.asScala.filter(_.id != broker)
      .foreach(other => managers.cluster.trackBrokerHeartbeat(other.id, other.epoch))
  }

  private def alterPartition(a: Arguments): Unit = {
    val broker = a.int("broker")
    val isr = a.lists("isr").map { case Seq(member, epoch) =>
      new AlterPartitionRequestData.BrokerState().setBrokerId(member).setBrokerEpoch(quorum.epoch(member, epoch))
    }
    val changed = new AlterPartitionRequestData.PartitionData().setPartitionIndex(quorum.partitionId)
      .setLeaderEpoch(a.int("leader_epoch")).setPartitionEpoch(a.int("partition_epoch"))
      .setNewIsrWithEpochs(isr.asJava).setLeaderRecoveryState(0.toByte)
    val asked = new AlterPartitionRequestData().setBrokerId(broker).setBrokerEpoch(quorum.epoch(broker, a.int("epoch")))
      .setTopics(util.List.of(new AlterPartitionRequestData.TopicData().setTopicId(quorum.topicId(a.int("topic")))
        .setPartitions(util.List.of(changed))))
    try {
      val response = write(a, managers.replication.alterPartition(managers.context(ApiKeys.ALTER_PARTITION), asked))
      quorum.answers(broker) = response
      val partition = response.topics.get(0).partitions.get(0)
      tell(Errors.forCode(partition.errorCode))
      if (partition.errorCode == 0) {
        answer.put("leader", partition.leaderId).put("leader epoch", partition.leaderEpoch)
          .put("partition epoch", partition.partitionEpoch).put("recovering", partition.leaderRecoveryState == 1)
        val members = answer.putArray("isr")
        partition.isr.asScala.map(_.intValue).sorted.foreach(members.add)
      }
    } catch {
      case e: org.apache.kafka.common.errors.ApiException =>
        write(a, ControllerResult.of(Collections.emptyList(), null))
        quorum.answers(broker) = new AlterPartitionResponseData().setErrorCode(Errors.forException(e).code)
        tell(Errors.forException(e))
    }
  }

  private def elect(a: Arguments): Unit = {
    val asked = new ElectLeadersRequestData().setElectionType(a.int("type").toByte)
    asked.topicPartitions.add(new ElectLeadersRequestData.TopicPartitions().setTopic(quorum.topic)
      .setPartitions(util.List.of(Integer.valueOf(quorum.partitionId))))
    val response = write(a, managers.replication.electLeaders(asked))
    tell(Errors.forCode(response.replicaElectionResults.get(0).partitionResult.get(0).errorCode))
  }

  private def assign(a: Arguments): Unit = {
    val broker = a.int("broker")
    val partition = new AssignReplicasToDirsRequestData.PartitionData().setPartitionIndex(quorum.partitionId)
    val topic = new AssignReplicasToDirsRequestData.TopicData().setTopicId(quorum.topicId(a.int("topic")))
      .setPartitions(util.List.of(partition))
    val directory = new AssignReplicasToDirsRequestData.DirectoryData()
      .setId(quorum.directory(broker, a.int("directory"))).setTopics(util.List.of(topic))
    val asked = new AssignReplicasToDirsRequestData().setBrokerId(broker)
      .setBrokerEpoch(quorum.epoch(broker, a.int("epoch"))).setDirectories(util.List.of(directory))
    try {
      val response = write(a, managers.replication.handleAssignReplicasToDirs(asked))
      quorum.assigned(broker) = response
      tell(Errors.forCode(response.directories.get(0).topics.get(0).partitions.get(0).errorCode))
    } catch {
      case e: org.apache.kafka.common.errors.ApiException =>
        write(a, ControllerResult.of(Collections.emptyList(), null))
        quorum.assigned(broker) = new AssignReplicasToDirsResponseData().setErrorCode(Errors.forException(e).code)
        tell(Errors.forException(e))
    }
  }

  /** Other replicas are asked for; none takes a reassignment back. */
  private def reassign(a: Arguments): Unit = {
    val replicas = a.list("replicas")
    val partition = new AlterPartitionReassignmentsRequestData.ReassignablePartition()
      .setPartitionIndex(quorum.partitionId)
      .setReplicas(if (replicas.isEmpty) null else replicas.map(Integer.valueOf).asJava)
    val asked = new AlterPartitionReassignmentsRequestData().setTopics(util.List.of(
      new AlterPartitionReassignmentsRequestData.ReassignableTopic().setName(quorum.topic)
        .setPartitions(util.List.of(partition))))
    val response = write(a, managers.replication.alterPartitionReassignments(asked))
    tell(Errors.forCode(response.responses.get(0).partitions.get(0).errorCode))
  }

  private def deleteTopic(a: Arguments): Unit = {
    val id = quorum.currentTopicId.getOrElse(throw new CannotBeTaken("there is no topic"))
    val deleted = write(a, managers.replication.deleteTopics(managers.context(ApiKeys.DELETE_TOPICS), util.List.of(id)))
    tell(deleted.get(id).error)
  }

  /** A topic of one partition, whose replicas are given. */
  private def createTopic(a: Arguments): Unit = {
    if (quorum.partitionId > 0) throw new CannotBeTaken("a topic that is created has one partition")
    val topic = new CreatableTopic().setName(quorum.topic).setNumPartitions(-1).setReplicationFactor(-1)
    topic.assignments.add(new CreatableReplicaAssignment().setPartitionIndex(quorum.partitionId)
      .setBrokerIds(a.list("replicas").map(Integer.valueOf).asJava))
    if (quorum.beginning.allowsUncleanElections)
      topic.configs.add(new CreatableTopicConfig().setName("unclean.leader.election.enable").setValue("true"))
    val asked = new CreateTopicsRequestData
    asked.topics.add(topic)
    val response = write(a, managers.replication.createTopics(managers.context(ApiKeys.CREATE_TOPICS), asked,
      Collections.emptySet()))
    val created = response.topics.find(quorum.topic)
    if (created.errorCode == 0) quorum.learnTopicId(a.int("topic"), created.topicId)
    tell(Errors.forCode(created.errorCode))
  }

  private def changeMinIsr(a: Arguments): Unit = {
    val resource = new ConfigResource(ConfigResource.Type.BROKER, "")
    val value = new SimpleEntry(AlterConfigOp.OpType.SET, a.int("value").toString)
    val changed = write(a, managers.configs.incrementalAlterConfigs(
      util.Map.of(resource, util.Map.of("min.insync.replicas", value)), false))
    tell(changed.get(resource).error)
  }

  private def switchElrOff(a: Arguments): Unit = {
    val name = EligibleLeaderReplicasVersion.FEATURE_NAME
    tell(write(a, managers.configs.updateFeatures(util.Map.of(name, 0.toShort),
      util.Map.of(name, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE), false, 1)).error)
  }

  private def tell(error: Errors): Unit = answer.put("error", error.name)

  private def features: FeatureCollection = {
    val found = new FeatureCollection
    found.add(new Feature().setName(MetadataVersion.FEATURE_NAME)
      .setMinSupportedVersion(MetadataVersion.MINIMUM_VERSION.featureLevel)
      .setMaxSupportedVersion(MetadataVersion.LATEST_PRODUCTION.featureLevel))
    found.add(new Feature().setName(EligibleLeaderReplicasVersion.FEATURE_NAME)
      .setMinSupportedVersion(0.toShort).setMaxSupportedVersion(1.toShort))
    found
  }

  private def listeners(broker: Int): ListenerCollection = {
    val found = new ListenerCollection
    found.add(new Listener().setName("PLAINTEXT").setHost("host").setPort(9000 + broker).setSecurityProtocol(0))
    found
  }
}
