package kafka.server

import java.io.{File, FileDescriptor, FileOutputStream, PrintStream, PrintWriter, StringWriter}
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.controller.Elections
import org.apache.kafka.common.utils.Utils

/** Reads a command from each line of standard input, and answers each with one line of JSON. */
object Main {
  private val json = new ObjectMapper
  private var cluster: Option[BrokerCluster] = None
  private var commands: Option[Commands] = None
  private var count = 0

  def main(arguments: Array[String]): Unit = {
    val out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, UTF_8.name)
    System.setOut(System.err)
    val folder = new File(arguments.head)
    for (line <- scala.io.Source.fromInputStream(System.in, UTF_8.name).getLines()) {
      out.println(json.writeValueAsString(answer(line, folder)))
      out.flush()
    }
    cluster.foreach(_.close())
    Utils.delete(folder)
    System.exit(0)
  }

  private def answer(line: String, folder: File): ObjectNode =
    try {
      val command = json.readTree(line)
      command.path("do").asText match {
        case "hello" => hello
        case "elections" => answered(Elections.answerAll(command, _))
        case "replica_states" => answered(Elections.replicaStates)
        case "new" =>
          begin(command, folder)
          told(command)
        case name =>
          commands.getOrElse(throw new CannotBeTaken("there is no cluster yet")).take(name, new Arguments(command))
          told(command)
      }
    } catch { case e: Throwable => error(e) }

  private def hello: ObjectNode = {
    val answer = json.createObjectNode.put("kafka", KafkaVersion.name)
    val names = answer.putArray("commands")
    new Commands(null).names.foreach(names.add(_))
    answer
  }

  private def begin(command: JsonNode, folder: File): Unit = {
    cluster.foreach(_.close())
    cluster = None
    count += 1
    val arguments = new Arguments(command)
    val size = Size(arguments.int("brokers"), arguments.int("partitions"), arguments.int("directories"),
      arguments.int("fetchers"), arguments.int("fetch_size"))
    val begun = new BrokerCluster(size, new File(folder, count.toString))
    cluster = Some(begun)
    commands = Some(new Commands(begun))
  }

  private def told(command: JsonNode): ObjectNode = {
    val answer = json.createObjectNode
    if (!command.path("quiet").asBoolean) answer.set[JsonNode]("state", new Observation(json, cluster.get).state)
    answer
  }

  private def answered(fill: ObjectNode => Unit): ObjectNode = {
    val answer = json.createObjectNode
    fill(answer)
    answer
  }

  private def error(e: Throwable): ObjectNode = {
    val trace = new StringWriter
    e.printStackTrace(new PrintWriter(trace))
    json.createObjectNode.put("error", String.valueOf(e.getMessage)).put("kind", e.getClass.getName)
      .put("trace", trace.toString)
  }
}
