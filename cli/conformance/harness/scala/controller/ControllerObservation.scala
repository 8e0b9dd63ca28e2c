package kafka.controller

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import kafka.zk._
import kafka.server.KafkaVersion
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.requests.{AbstractControlRequest, LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest}
import org.apache.zookeeper.data.Stat

import scala.collection.Seq
import scala.jdk.CollectionConverters._

/** ZooKeeper's nodes, and what each controller has in memory, has to handle and has to send. */
class ControllerObservation(json: ObjectMapper, cluster: ControllerCluster) {
  private val zooKeeper = cluster.zooKeeper

  def state: ObjectNode = {
    val state = json.createObjectNode
    znodes(state)
    val brokers = state.putArray("brokers")
    for (id <- cluster.ids) cluster.broker(id) match {
      case Some(process) if process.isHeldUp => write(brokers.addObject, process)
      case Some(process) => controller(brokers.addObject, process)
      case None => brokers.addNull
    }
    state
  }

  private def znodes(told: ObjectNode): Unit = {
    val nodes = told.putObject("nodes")
    nodes.put("holder", zooKeeper.getControllerId.getOrElse(-1)).put("epoch", zooKeeper.getControllerEpoch.map(_._1).getOrElse(0))
    val live = nodes.putObject("live")
    for ((broker, epoch) <- zooKeeper.getAllBrokerAndEpochsInCluster.toSeq.sortBy(_._1.id))
      live.put(broker.id.toString, cluster.registration(broker.id, epoch))
    val marked = zooKeeper.getTopicDeletions.toSet
    val requested = zooKeeper.getPartitionReassignment
    val topics = nodes.putArray("topics")
    val assigned = zooKeeper.getFullReplicaAssignmentForTopics(cluster.partitions.map(_.topic).toSet)
    for (partition <- cluster.partitions) {
      val topic = topics.addObject.put("marked", marked(partition.topic))
      ids(topic.putArray("requested"), requested.getOrElse(partition, Nil))
      assignment(topic, assigned.getOrElse(partition, ReplicaAssignment(Nil)))
      zooKeeper.getTopicPartitionState(partition).foreach(leadership(topic.putObject("state"), _))
    }
    val directories = zooKeeper.getAllLogDirEventNotifications.sorted
    ids(nodes.putArray("log_dir_events"), zooKeeper.getBrokerIdsFromLogDirEvents(directories))
    val changes = zooKeeper.getAllIsrChangeNotifications.sorted
    val told_changes = nodes.putArray("isr_changes")
    for (change <- changes)
      ids(told_changes.addArray, zooKeeper.getPartitionsFromIsrChangeNotifications(Seq(change)).map(cluster.number).sorted)
  }

  /** Of a controller in the midst of an event, the state of a partition that it is about to write. */
  private def write(told: ObjectNode, process: SteppedController): Unit =
    for (write <- process.session.awaitedWrite) {
      val stat = new Stat
      stat.setVersion(write.version + 1)
      TopicPartitionStateZNode.decode(write.data, stat).foreach(leadership(told.putObject("write"), _))
    }

  private def controller(told: ObjectNode, process: SteppedController): Unit = {
    val events = told.putArray("events")
    process.events.foreach(event(events.addObject, _))
    val fired = told.putArray("fired")
    process.session.fired.map(_.getPath).sorted.foreach(fired.add(_))
    told.put("active", process.controller.isActive)
    if (process.controller.isActive) context(told.putObject("context"), process.controller.controllerContext)
    val channels = told.putObject("channels")
    for (id <- cluster.ids; waiting = process.requests.waiting(id) if waiting.nonEmpty) {
      val requests = channels.putArray(id.toString)
      waiting.foreach(item => request(requests.addObject, id, item.request.build(item.request.latestAllowedVersion)))
    }
  }

  private def event(told: ObjectNode, event: ControllerEvent): Unit = event match {
    case Startup => told.put("kind", "Reelect")
    case LeaderAndIsrResponseReceived(response, broker) =>
      val (ofAll, errors) = KafkaVersion.answersOf(response)
      val answers = told.put("kind", "LeaderAndIsrResponseReceived").put("broker", broker)
        .put("rejected", ofAll != Errors.NONE).putObject("answers")
      for ((partition, error) <- errors) answers.put(number(partition.topic), error.name)
    case TopicDeletionStopReplicaResponseReceived(broker, error, errors) =>
      val answers = told.put("kind", "StopReplicaResponseReceived").put("broker", broker)
        .put("rejected", error != Errors.NONE).putObject("answers")
      for ((partition, error) <- errors) answers.put(number(partition.topic), error.name)
    case ReplicaLeaderElection(partitions, kind, _, _) =>
      ids(told.put("kind", "ReplicaLeaderElection").put("type", kind.name).putArray("partitions"),
        partitions.toSeq.flatten.map(cluster.number).sorted)
    case ControlledShutdown(broker, epoch, _) =>
      told.put("kind", "ControlledShutdown").put("broker", broker).put("epoch", cluster.registration(broker, epoch))
    case ApiPartitionReassignment(reassignments, _) =>
      ids(told.put("kind", "AlterPartitionReassignment").putArray("partitions"), reassignments.keys.map(cluster.number).toSeq)
    case PartitionReassignmentIsrChange(partition) =>
      told.put("kind", "PartitionReassignmentIsrChange").put("partition", cluster.number(partition))
    case other => told.put("kind", other.toString)
  }

  private def context(told: ObjectNode, known: ControllerContext): Unit = {
    told.put("epoch", known.epoch)
    val live = told.putObject("live")
    for ((id, epoch) <- known.liveBrokerIdAndEpochs.toSeq.sortBy(_._1))
      live.put(id.toString, cluster.registration(id, epoch))
    ids(told.putArray("shutting_down"), known.shuttingDownBrokerIds.toSeq.sorted)
    val partitions = told.putArray("partitions")
    for (partition <- cluster.partitions) {
      val own = partitions.addObject
      assignment(own, known.partitionFullReplicaAssignment(partition))
      own.put("state", known.partitionStates.getOrElse(partition, NonExistentPartition).toString)
      val replicas = own.putArray("replica_states")
      for (id <- cluster.ids)
        replicas.add(known.replicaStates.getOrElse(PartitionAndReplica(partition, id), NonExistentReplica).toString)
      known.partitionLeadershipInfo.get(partition).foreach(leadership(own.putObject("info"), _))
      ids(own.putArray("offline"), cluster.ids.filter(known.replicasOnOfflineDirs.getOrElse(_, Set.empty).contains(partition)))
      own.put("queued", known.topicsToBeDeleted(partition.topic))
        .put("halted", known.topicsIneligibleForDeletion(partition.topic))
        .put("begun", known.topicsWithDeletionStarted(partition.topic))
        .put("reassigned", known.partitionsBeingReassigned(partition))
    }
  }

  private def request(told: ObjectNode, to: Int, request: AbstractControlRequest): Unit = {
    told.put("controller_epoch", request.controllerEpoch).put("broker_epoch", cluster.registration(to, request.brokerEpoch))
    request match {
      case ask: LeaderAndIsrRequest =>
        val partitions = told.put("kind", "LeaderAndIsr").putObject("partitions")
        for (state <- ask.partitionStates.asScala) {
          val own = partitions.putObject(number(state.topicName)).put("new", state.isNew).put("leader", state.leader)
            .put("epoch", state.leaderEpoch).put("version", state.zkVersion).put("controller_epoch", state.controllerEpoch)
          val isr = state.isr.asScala.map(_.intValue)
          ids(own.putArray("isr"), isr.toSeq.sorted)
          ids(own.putArray("unassigned_isr"), isr.filterNot(id => state.replicas.contains(Int.box(id))).toSeq.sorted)
        }
      case stop: StopReplicaRequest =>
        val (deletes, partitions) = KafkaVersion.stopped(stop)
        ids(told.put("kind", "StopReplica").put("deletes", deletes).putArray("partitions"),
          partitions.map(cluster.number).sorted)
      case update: UpdateMetadataRequest =>
        ids(told.put("kind", "UpdateMetadata").putArray("live"), update.liveBrokers.asScala.map(_.id).toSeq.sorted)
        val partitions = told.putObject("partitions")
        for (state <- update.partitionStates.asScala) {
          val own = partitions.putObject(number(state.topicName)).put("leader", state.leader).put("epoch", state.leaderEpoch)
          ids(own.putArray("isr"), state.isr.asScala.map(_.intValue).toSeq.sorted)
          ids(own.putArray("offline"), state.offlineReplicas.asScala.map(_.intValue).toSeq.sorted)
        }
    }
  }

  private def leadership(told: ObjectNode, known: LeaderIsrAndControllerEpoch): Unit = {
    told.put("leader", known.leaderAndIsr.leader).put("epoch", known.leaderAndIsr.leaderEpoch)
      .put("version", known.leaderAndIsr.zkVersion).put("controller_epoch", known.controllerEpoch)
    ids(told.putArray("isr"), known.leaderAndIsr.isr.sorted)
  }

  private def assignment(told: ObjectNode, known: ReplicaAssignment): Unit = {
    ids(told.putArray("replicas"), known.replicas)
    ids(told.putArray("adding"), known.addingReplicas)
    ids(told.putArray("removing"), known.removingReplicas)
  }

  private def number(topic: String): String = cluster.number(new TopicPartition(topic, 0)).toString
  private def ids(told: ArrayNode, found: Iterable[Int]): Unit = found.foreach(told.add(_))
}
