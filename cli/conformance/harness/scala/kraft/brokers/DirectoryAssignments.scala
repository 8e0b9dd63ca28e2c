package kafka.server

import java.util

import org.apache.kafka.clients.ClientResponse
import org.apache.kafka.common.Uuid
import org.apache.kafka.common.message.{AssignReplicasToDirsRequestData, AssignReplicasToDirsResponseData}
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests.{AssignReplicasToDirsRequest, AssignReplicasToDirsResponse, RequestHeader}
import org.apache.kafka.common.utils.MockTime
import org.apache.kafka.server.AssignmentsManager
import org.apache.kafka.server.common.{ControllerRequestCompletionHandler, TopicIdPartition}

import scala.jdk.CollectionConverters._

/** An AssignReplicasToDirs request on its way. */
case class SentAssignments(data: AssignReplicasToDirsRequestData, done: ControllerRequestCompletionHandler)

/** What a broker tells of the directory of its replica: Kafka's queue, whose timer never ends, and the one request. */
class DirectoryAssignments(broker: KraftBroker) {
  var sent: Option[SentAssignments] = None

  private val channel = new ControllerChannel((request, done) =>
    sent = Some(SentAssignments(request.asInstanceOf[AssignReplicasToDirsRequest].data, done)))
  private val manager = new AssignmentsManager(new MockTime, channel, broker.id, () => broker.cache.currentImage(),
    (directory: Uuid) => directory.toString)

  def queue(partition: TopicIdPartition, directory: Uuid, reason: String, done: Runnable): Unit =
    manager.onAssignment(partition, directory, reason, done)

  /** What the manager does when its timer ends. */
  def send(): Unit = KraftPrivate.call(classOf[AssignmentsManager], "maybeSendAssignments", manager)

  /** The controller's answer comes; returns when it is handled. */
  def answer(data: AssignReplicasToDirsResponseData): Unit = {
    val asked = sent.getOrElse(throw new CannotBeTaken(s"broker ${broker.id} has told no directory"))
    sent = None
    asked.done.onComplete(new ClientResponse(new RequestHeader(ApiKeys.ASSIGN_REPLICAS_TO_DIRS, 0.toShort, "", 0), null,
      "controller", 0, 0, false, null, null, new AssignReplicasToDirsResponse(data)))
    KraftPrivate.call(classOf[AssignmentsManager], "previousGlobalFailures", manager)
  }

  /** The directory that is to be told next of a replica of a topic. */
  def queued(topic: Uuid): Option[Uuid] = {
    val ready = KraftPrivate.get[util.Map[TopicIdPartition, AnyRef]](classOf[AssignmentsManager], "ready", manager)
    ready.asScala.collectFirst { case (partition, assignment)
      if partition.topicId == topic && partition.partitionId == broker.cluster.quorum.partitionId => directoryOf(assignment) }
  }

  private def directoryOf(assignment: AnyRef): Uuid = KraftPrivate.get[Uuid](assignment.getClass, "directoryId", assignment)

  def close(): Unit = manager.close()
}
