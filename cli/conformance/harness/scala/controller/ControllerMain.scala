package kafka.controller

import java.io.File

import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.server.{Arguments, CannotBeTaken, JsonLines}
import kafka.zk.ZooKeeperProcess

/** Reads a command for controllers from each line of standard input, and answers each with one line of JSON. */
object ControllerMain extends JsonLines {
  private var server: Option[ZooKeeperProcess] = None
  private var cluster: Option[ControllerCluster] = None
  private var count = 0

  protected def names: Iterable[String] = new ControllerCommands(null).names

  protected def begin(arguments: Arguments, folder: File): Unit = {
    val started = server.getOrElse(new ZooKeeperProcess(new File(folder, "zookeeper")))
    server = Some(started)
    close()
    count += 1
    val size = ControllerSize(arguments.int("brokers"), arguments.int("partitions"), arguments.list("assignment"),
      arguments.int("unclean_leader_election") == 1, arguments.int("metadata") == 1)
    val begun = new ControllerCluster(size, started, s"/$count")
    cluster = Some(begun)
    begun.begin(arguments.int("topics") == 1)
  }

  protected def take(name: String, arguments: Arguments): Unit =
    new ControllerCommands(cluster.getOrElse(throw new CannotBeTaken("there is no cluster yet"))).take(name, arguments)

  protected def state: ObjectNode = new ControllerObservation(json, cluster.get).state

  protected def close(): Unit = {
    cluster.foreach(_.close())
    cluster = None
  }
}
