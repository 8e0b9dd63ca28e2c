package kafka.server

import java.io.File

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.kafka.controller.{Beginning, MetadataQuorum, QuorumCommands, QuorumObservation}

/** The active controller and all brokers in one process: reads a command from each line, and answers each with a line of JSON. */
object KraftMain extends JsonLines {
  private var brokers: Option[KraftBrokers] = None
  private var answer: ObjectNode = json.createObjectNode

  protected def names: Iterable[String] = new QuorumCommands(null, answer).names ++ new BrokerCommands(null).names

  protected def begin(arguments: Arguments, folder: File): Unit = {
    close()
    answer = json.createObjectNode
    brokers = Some(new KraftBrokers(new MetadataQuorum(Beginning.of(arguments)), folder))
  }

  protected def take(name: String, arguments: Arguments): Unit = {
    val begun = brokers.getOrElse(throw new CannotBeTaken("there is no cluster yet"))
    val ofBrokers = new BrokerCommands(begun)
    if (ofBrokers.names.exists(_ == name)) ofBrokers.take(name, arguments)
    else {
      begun.fetches = 1
      answer = json.createObjectNode
      new QuorumCommands(begun.quorum, answer).take(name, arguments)
    }
  }

  protected def state: ObjectNode = {
    val told = new QuorumObservation(json, brokers.get.quorum, answer).state
    val observed = new BrokerObservation(json, brokers.get)
    told.set[ObjectNode]("brokers", observed.state)
    told.put("fetches", brokers.get.fetches)
    val acknowledged = told.putArray("acknowledged")
    observed.acknowledged.foreach(acknowledged.add(_))
    told
  }

  protected def close(): Unit = {
    brokers.foreach(_.close())
    brokers = None
  }
}
