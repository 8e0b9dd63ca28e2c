package kafka.server

import java.io.File

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.controller.Elections

/** Reads a command for brokers, or about elections, from each line of standard input. */
object Main extends JsonLines {
  private var cluster: Option[BrokerCluster] = None
  private var commands: Option[Commands] = None
  private var count = 0

  protected def names: Iterable[String] = new Commands(null).names

  protected def begin(arguments: Arguments, folder: File): Unit = {
    close()
    count += 1
    val size = Size(arguments.int("brokers"), arguments.int("partitions"), arguments.int("directories"),
      arguments.int("fetchers"), arguments.int("fetch_size"))
    val begun = new BrokerCluster(size, new File(folder, count.toString))
    cluster = Some(begun)
    commands = Some(new Commands(begun))
  }

  protected def take(name: String, arguments: Arguments): Unit =
    commands.getOrElse(throw new CannotBeTaken("there is no cluster yet")).take(name, arguments)

  protected def state: ObjectNode = new Observation(json, cluster.get).state

  protected def close(): Unit = {
    cluster.foreach(_.close())
    cluster = None
  }

  override protected def answered(name: String, command: JsonNode, answer: ObjectNode): Boolean = name match {
    case "elections" =>
      Elections.answerAll(command, answer)
      true
    case "replica_states" =>
      Elections.replicaStates(answer)
      true
    case _ => false
  }
}
