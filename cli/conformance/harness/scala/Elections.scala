package kafka.controller

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.api.LeaderAndIsr
import kafka.cluster.Broker
import kafka.server.{CannotBeTaken, KafkaVersion}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.network.ListenerName
import org.apache.kafka.common.security.auth.SecurityProtocol

import scala.collection.Seq
import scala.jdk.CollectionConverters._

/** The elections of the controller, each in a context of its own, and which states of a replica may follow which. */
object Elections {
  private val Asked = new TopicPartition("x", 0)
  private val Epoch = 5
  private val Version = 7
  private val ReplicaStates: Seq[ReplicaState] = Seq(NewReplica, OnlineReplica, OfflineReplica, ReplicaDeletionStarted,
    ReplicaDeletionSuccessful, ReplicaDeletionIneligible, NonExistentReplica)

  def answerAll(command: JsonNode, told: ObjectNode): Unit = {
    val answers = told.putArray("answers")
    for (question <- command.get("questions").elements.asScala) {
      val result = elect(question)
      result.leaderAndIsr match {
        case None => answers.addNull
        case Some(decided) =>
          val answer = answers.addObject.put("leader", decided.leader).put("epoch", decided.leaderEpoch)
          val isr = answer.putArray("isr")
          decided.isr.sorted.foreach(isr.add(_))
          val all = answer.putArray("told")
          result.liveReplicas.foreach(all.add(_))
      }
    }
  }

  def replicaStates(told: ObjectNode): Unit = {
    val states = told.putObject("states")
    for (state <- ReplicaStates) {
      val before = states.putArray(state.toString)
      state.validPreviousStates.map(_.toString).toSeq.sorted.foreach(before.add(_))
    }
  }

  private def elect(question: JsonNode): ElectionResult = {
    val (known, assignment) = (context(question), ids(question, "assignment"))
    val stored = LeaderAndIsr(assignment.head, Epoch, ids(question, "isr").toList, Version)
    val results = question.get("strategy").asText match {
      case "OFFLINE" => Election.leaderForOffline(known, Seq((Asked, Some(stored), false)))
      case "UNCLEAN" => Election.leaderForOffline(known, Seq((Asked, Some(stored), true)))
      case "PREFERRED" => Election.leaderForPreferredReplica(known, Seq((Asked, stored)))
      case "CONTROLLED_SHUTDOWN" => Election.leaderForControlledShutdown(known, Seq((Asked, stored)))
      case "REASSIGN" => Election.leaderForReassign(known, Seq((Asked, stored)))
      case other => throw new CannotBeTaken(s"there is no strategy $other")
    }
    results.head
  }

  private def context(question: JsonNode): ControllerContext = {
    val known = new ControllerContext
    KafkaVersion.setLive(known, ids(question, "live").map(id => endpoint(id) -> 1L).toMap)
    known.shuttingDownBrokerIds ++= ids(question, "shutting_down")
    ids(question, "offline").foreach(known.replicasOnOfflineDirs.put(_, Set(Asked)))
    known.updatePartitionFullReplicaAssignment(Asked,
      ReplicaAssignment(ids(question, "assignment"), Seq.empty, ids(question, "removing")))
    known
  }

  private def endpoint(id: Int) =
    new Broker(id, s"host$id", 9000 + id, ListenerName.normalised("PLAINTEXT"), SecurityProtocol.PLAINTEXT)

  private def ids(question: JsonNode, name: String): Seq[Int] = question.get(name).elements.asScala.map(_.asInt).toSeq
}
