package kafka.controller

import kafka.api.LeaderAndIsr
import kafka.server.{CannotBeTaken, Pause}
import kafka.utils.MockTime
import kafka.zk._
import kafka.zookeeper.StepwiseSession
import org.apache.kafka.common.TopicPartition

import scala.collection.{Seq, mutable}

/** How large a cluster is, and what its configuration says. */
case class ControllerSize(brokers: Int, partitions: Int, assignment: Seq[Int], isUnclean: Boolean, tellsMetadata: Boolean)

/** Some brokers' controllers around one ZooKeeper, to which an administrator and leaders write by a session of theirs. */
class ControllerCluster(val size: ControllerSize, server: ZooKeeperProcess, root: String) {
  val time = new MockTime
  val ids: Seq[Int] = 0 until size.brokers
  val partitions: Seq[TopicPartition] = (0 until size.partitions).map(partition)
  /** The registrations of each broker, in their order. */
  val registrations = mutable.Map[Int, mutable.ArrayBuffer[Long]]()
  private val processes = mutable.Map[Int, SteppedController]()
  /** Sessions of processes that ended. */
  private val left = mutable.Map[Int, StepwiseSession]()
  private val above = server.session("", time)
  server.client(above, time).makeSurePersistentPathExists(root)
  private val outside = server.session(root, time)
  val zooKeeper: KafkaZkClient = server.client(outside, time)
  zooKeeper.createTopLevelPaths()

  /** Each partition is the only one of its topic. */
  def partition(number: Int) = new TopicPartition(s"x$number", 0)
  def number(partition: TopicPartition): Int = partition.topic.drop(1).toInt

  /** The last of the assigned brokers is the controller, and all events are handled. */
  def begin(withTopics: Boolean): Unit = {
    ids.foreach(start)
    if (withTopics) for (partition <- partitions) {
      createTopic(partition, size.assignment)
      val first = LeaderAndIsr(size.assignment.head, 0, size.assignment.toList, 0)
      zooKeeper.createTopicPartitionStatesRaw(Map(partition -> LeaderIsrAndControllerEpoch(first, 1)), -1)
    }
    for (id <- size.assignment.last +: ids.filterNot(_ == size.assignment.last)) {
      running(id).takeEvent(Pause.NONE)
      settle()
    }
    for (id <- ids) while (running(size.assignment.last).requests.waiting(id).nonEmpty)
      running(size.assignment.last).requests.take(id)
  }

  def broker(id: Int): Option[SteppedController] = processes.get(id)
  def running(id: Int): SteppedController =
    broker(id).getOrElse(throw new CannotBeTaken(s"broker $id does not run"))

  def start(id: Int): Unit = {
    if (processes.contains(id)) throw new CannotBeTaken(s"broker $id runs")
    val session = server.session(root, time)
    val started = new SteppedController(id, session, server.client(session, time), time, size.isUnclean, size.tellsMetadata)
    registrations.getOrElseUpdate(id, mutable.ArrayBuffer()) += started.epoch
    processes(id) = started
  }

  /** The process ends, and its session lives on, if it has one. */
  def stop(id: Int): Unit = {
    running(id).end()
    val stopped = running(id).session
    processes -= id
    if (stopped.isAlive) left(id) = stopped else stopped.close()
  }

  /** Of some writes of partitions' states the replies get lost: the partition, and which of its writes in the event.
    * The broker may get another broker epoch. */
  def handle(id: Int, lost: Seq[Seq[Int]])(step: SteppedController => Unit): Unit = {
    val process = running(id)
    process.session.lose(lost.map { case Seq(number, write) => (TopicPartitionStateZNode.path(partition(number)), write) }.toSet)
    step(process)
    process.session.lose(Set())
    val epoch = process.controller.brokerEpoch
    if (registrations(id).last != epoch) registrations(id) += epoch
  }

  def endSession(id: Int): Unit =
    left.remove(id).getOrElse(throw new CannotBeTaken(s"broker $id has no session that can end")).close()

  def createTopic(partition: TopicPartition, replicas: Seq[Int]): Unit =
    new AdminZkClient(zooKeeper).createTopicWithAssignment(partition.topic, new java.util.Properties,
      Map(partition.partition -> replicas))

  /** What was fired has arrived at each broker. */
  def settle(): Unit = for (process <- processes.values) {
    process.session.settle()
    process.handleAtOnce()
    process.session.settle()
  }

  /** Which registration of a broker has an epoch; the first is 1. */
  def registration(id: Int, epoch: Long): Int = registrations(id).indexOf(epoch) + 1

  def close(): Unit = (processes.values.map(_.session) ++ left.values ++ Seq(outside, above)).foreach(_.close())
}
