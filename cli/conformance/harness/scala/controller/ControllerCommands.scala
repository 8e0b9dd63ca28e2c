package kafka.controller

import java.util.Collections

import com.fasterxml.jackson.databind.JsonNode
import kafka.api.LeaderAndIsr
import kafka.server.{Arguments, CannotBeTaken, Pause}
import kafka.zk._
import org.apache.kafka.common.{ElectionType, TopicPartition}
import org.apache.kafka.common.message.{LeaderAndIsrResponseData, StopReplicaResponseData}
import org.apache.kafka.common.message.LeaderAndIsrResponseData.LeaderAndIsrPartitionError
import org.apache.kafka.common.message.StopReplicaResponseData.StopReplicaPartitionError
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.requests.{AbstractResponse, LeaderAndIsrResponse, StopReplicaResponse}

import scala.collection.{Map, Seq}
import scala.jdk.CollectionConverters._

/** The steps of the model `cluster` as calls into the controllers; docs/conformance.md has them as a table. */
class ControllerCommands(cluster: ControllerCluster) {
  private val steps: Map[String, Arguments => Unit] = scala.collection.immutable.ListMap(
    "nothing" -> (_ => ()),
    "take_event" -> (a => handle(a)(_.takeEvent(pause(a)))),
    "resume_event" -> (a => handle(a)(_.resumeEvent(pause(a)))),
    "deliver_watch" -> deliverWatch,
    "take_request" -> (a => controller(a).requests.take(a.int("broker"))),
    "respond" -> respond,
    // processes and sessions
    "start" -> (a => cluster.start(a.int("broker"))),
    "stop" -> (a => cluster.stop(a.int("broker"))),
    "end_session" -> (a => cluster.endSession(a.int("broker"))),
    "expire_session" -> (a => cluster.running(a.int("broker")).session.expire()),
    "begin_session" -> (a => cluster.running(a.int("broker")).beginSession()),
    // what others write to ZooKeeper
    "delete_controller" -> (_ => cluster.zooKeeper.deletePath(ControllerZNode.path)),
    "create_topic" -> (a => cluster.createTopic(partition(a), a.list("replicas"))),
    "mark_topic" -> (a => cluster.zooKeeper.createDeleteTopicPath(partition(a).topic)),
    "reassign" -> (a => cluster.zooKeeper.setOrCreatePartitionReassignment(
      Map(partition(a) -> a.list("replicas")), ZkVersion.MatchAnyVersion)),
    "store_state" -> storeState,
    "notify_log_dir" -> (a => cluster.zooKeeper.propagateLogDirEvent(a.int("broker"))),
    "notify_isr" -> (a => cluster.zooKeeper.propagateIsrChanges(a.list("partitions").map(cluster.partition).toSet)),
    // what administrators and brokers ask of a controller
    "request_election" -> requestElection,
    "request_shutdown" -> (a => controller(a).controller.controlledShutdown(a.int("broker"),
      cluster.registrations(a.int("broker"))(a.int("epoch") - 1), _ => ())),
    "cancel_reassignment" -> (a => controller(a).controller.alterPartitionReassignments(Map(partition(a) -> None), _ => ())))

  def names: Iterable[String] = steps.keys

  def take(name: String, arguments: Arguments): Unit = {
    steps.getOrElse(name, throw new CannotBeTaken(s"there is no command $name"))(arguments)
    cluster.settle()
  }

  private def handle(a: Arguments)(step: SteppedController => Unit): Unit =
    cluster.handle(a.int("controller"), a.lists("lost"))(step)
  private def pause(a: Arguments) = if (a.int("held") == 1) Pause.WRITE else Pause.NONE
  private def controller(a: Arguments) = cluster.running(a.int("controller"))
  private def partition(a: Arguments) = cluster.partition(a.int("partition"))

  private def deliverWatch(a: Arguments): Unit = {
    val (path, to) = (a.text("path"), controller(a))
    to.deliver(to.session.fired.find(_.getPath == path)
      .getOrElse(throw new CannotBeTaken(s"no watch of $path has fired for broker ${to.id}")))
  }

  private def storeState(a: Arguments): Unit = {
    val (content, at) = (a.content, partition(a))
    val decided = LeaderAndIsr(content.get("leader").asInt, content.get("epoch").asInt,
      content.get("isr").elements.asScala.map(_.asInt).toList, content.get("version").asInt)
    val data = TopicPartitionStateZNode.encode(LeaderIsrAndControllerEpoch(decided, content.get("controller").asInt))
    val (isWritten, _) =
      cluster.zooKeeper.conditionalUpdatePath(TopicPartitionStateZNode.path(at), data, content.get("version").asInt - 1)
    if (!isWritten) throw new CannotBeTaken(s"$at has another version than ${content.get("version").asInt - 1}")
  }

  private def requestElection(a: Arguments): Unit = {
    val kind = if (a.text("type") == "UNCLEAN") ElectionType.UNCLEAN else ElectionType.PREFERRED
    controller(a).controller.electLeaders(Set(partition(a)), kind, _ => ())
  }

  /** The answer to the first request in line arrives, and its callback is run. */
  private def respond(a: Arguments): Unit = {
    val request = controller(a).requests.take(a.int("broker"))
    val errors = a.pairs("answers").map { case (number, error) => (cluster.partition(number), error) }
    val ofAll = errors.collectFirst { case (_, error) if error == "REJECTED" => Errors.STALE_BROKER_EPOCH }
    val response = request.apiKey match {
      case ApiKeys.LEADER_AND_ISR => leaderAndIsrResponse(ofAll, errors)
      case ApiKeys.STOP_REPLICA => stopReplicaResponse(ofAll, errors)
      case other => throw new CannotBeTaken(s"the answer to $other tells a controller nothing")
    }
    request.callback(response)
  }

  private def leaderAndIsrResponse(ofAll: Option[Errors], errors: Seq[(TopicPartition, String)]): AbstractResponse =
    new LeaderAndIsrResponse(new LeaderAndIsrResponseData().setErrorCode(ofAll.getOrElse(Errors.NONE).code)
      .setPartitionErrors(if (ofAll.isDefined) Collections.emptyList[LeaderAndIsrPartitionError]
        else errors.map { case (at, error) => new LeaderAndIsrPartitionError().setTopicName(at.topic)
          .setPartitionIndex(at.partition).setErrorCode(Errors.valueOf(error).code) }.asJava))

  private def stopReplicaResponse(ofAll: Option[Errors], errors: Seq[(TopicPartition, String)]): AbstractResponse =
    new StopReplicaResponse(new StopReplicaResponseData().setErrorCode(ofAll.getOrElse(Errors.NONE).code)
      .setPartitionErrors(errors.map { case (at, error) => new StopReplicaPartitionError().setTopicName(at.topic)
        .setPartitionIndex(at.partition).setErrorCode(Errors.valueOf(error).code) }.asJava))
}
