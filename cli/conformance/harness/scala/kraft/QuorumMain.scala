package org.apache.kafka.controller

import java.io.File

import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.server.{Arguments, CannotBeTaken, JsonLines}

/** Reads a command for the active controller from each line of standard input, and answers each with a line of JSON. */
object QuorumMain extends JsonLines {
  private var quorum: Option[MetadataQuorum] = None
  private var answer: ObjectNode = json.createObjectNode

  protected def names: Iterable[String] = new QuorumCommands(null, answer).names

  protected def begin(arguments: Arguments, folder: File): Unit = {
    answer = json.createObjectNode
    quorum = Some(new MetadataQuorum(Beginning.of(arguments)))
  }

  protected def take(name: String, arguments: Arguments): Unit = {
    answer = json.createObjectNode
    val begun = quorum.getOrElse(throw new CannotBeTaken("there is no cluster yet"))
    new QuorumCommands(begun, answer).take(name, arguments)
  }

  protected def state: ObjectNode = new QuorumObservation(json, quorum.get, answer).state

  protected def close(): Unit = quorum = None
}
