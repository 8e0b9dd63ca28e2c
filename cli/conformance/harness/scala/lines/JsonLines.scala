package kafka.server

import java.io.{File, FileDescriptor, FileOutputStream, PrintStream, PrintWriter, StringWriter}
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.kafka.common.utils.Utils

/** Reads a command from each line of standard input, and answers each with one line of JSON. */
trait JsonLines {
  protected val json = new ObjectMapper

  protected def names: Iterable[String]
  protected def begin(arguments: Arguments, folder: File): Unit
  protected def take(name: String, arguments: Arguments): Unit
  protected def state: ObjectNode
  protected def close(): Unit

  /** Answers to commands that are about no cluster. */
  protected def answered(name: String, command: JsonNode, answer: ObjectNode): Boolean = false

  def main(arguments: Array[String]): Unit = {
    val out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, UTF_8.name)
    System.setOut(System.err)
    val folder = new File(arguments.head)
    for (line <- scala.io.Source.fromInputStream(System.in, UTF_8.name).getLines()) {
      out.println(json.writeValueAsString(answer(line, folder)))
      out.flush()
    }
    close()
    Utils.delete(folder)
    System.exit(0)
  }

  private def answer(line: String, folder: File): ObjectNode =
    try {
      val command = json.readTree(line)
      val found = json.createObjectNode
      command.path("do").asText match {
        case "hello" =>
          val told = found.put("kafka", KafkaVersion.name).putArray("commands")
          names.foreach(told.add(_))
        case name if answered(name, command, found) => ()
        case name =>
          if (name == "new") begin(new Arguments(command), folder) else take(name, new Arguments(command))
          if (!command.path("quiet").asBoolean) found.set[JsonNode]("state", state)
      }
      found
    } catch { case e: Throwable => error(e) }

  private def error(e: Throwable): ObjectNode = {
    val trace = new StringWriter
    e.printStackTrace(new PrintWriter(trace))
    json.createObjectNode.put("error", String.valueOf(e.getMessage)).put("kind", e.getClass.getName)
      .put("trace", trace.toString)
  }
}
