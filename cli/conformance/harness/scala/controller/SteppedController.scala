package kafka.controller

import java.util.Properties
import java.util.concurrent.LinkedBlockingQueue

import kafka.api.ApiVersion
import kafka.cluster.Broker
import kafka.server.{CannotBeTaken, KafkaConfig, Killed, PausableCall, Pause, Private}
import kafka.utils.MockTime
import kafka.zk._
import kafka.zookeeper.StepwiseSession
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.network.ListenerName
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests.{AbstractControlRequest, AbstractResponse}
import org.apache.kafka.common.security.auth.SecurityProtocol
import org.apache.zookeeper.WatchedEvent
import org.apache.zookeeper.Watcher.Event.EventType

import scala.collection.Seq
import scala.jdk.CollectionConverters._

/** Requests that no thread sends: they wait until they are taken. */
class WaitingRequests(context: ControllerContext, config: KafkaConfig, time: MockTime, metrics: Metrics,
    tellsMetadata: Boolean) extends ControllerChannelManager(context, config, time, metrics,
    new StateChangeLogger(config.brokerId, inControllerContext = true, None)) {

  override protected def startRequestSendThread(broker: Int): Unit = ()

  override def sendRequest(broker: Int, request: AbstractControlRequest.Builder[_ <: AbstractControlRequest],
      callback: AbstractResponse => Unit): Unit =
    if (tellsMetadata || request.apiKey != ApiKeys.UPDATE_METADATA) super.sendRequest(broker, request, callback)

  def waiting(broker: Int): Seq[QueueItem] = brokerStateInfo.get(broker).toSeq.flatMap(_.messageQueue.asScala)

  def take(broker: Int): QueueItem =
    brokerStateInfo.get(broker).flatMap(info => Option(info.messageQueue.poll()))
      .getOrElse(throw new CannotBeTaken(s"no request waits for broker $broker"))
}

/** One broker's process as far as the controller goes: its session, its registration, its KafkaController. */
class SteppedController(val id: Int, val session: StepwiseSession, zooKeeper: KafkaZkClient, time: MockTime,
    isUnclean: Boolean, tellsMetadata: Boolean) {
  private val config = KafkaConfig.fromProps(properties)
  private val metrics = new Metrics
  private val info = BrokerInfo(SteppedController.endpoint(id), ApiVersion.latestVersion, -1)
  /** The transaction that created the registration: the broker epoch. */
  val epoch: Long = zooKeeper.registerBroker(info)
  val controller = new KafkaController(config, zooKeeper, time, metrics, info, epoch, null)
  val requests = new WaitingRequests(controller.controllerContext, config, time, metrics, tellsMetadata)
  haveRequestsWait()
  Private.set(classOf[ControllerEventManager], "thread", controller.eventManager,
    new controller.eventManager.ControllerEventThread("stepped") { override def start(): Unit = () })
  controller.startup()

  private var round: Option[PausableCall] = None

  def events: Seq[ControllerEvent] = queue.asScala.map(_.event).toSeq

  /** What the controller's thread does in one round, up to a pause or to its end. */
  def takeEvent(until: Pause.Value): Unit = {
    if (queue.isEmpty) throw new CannotBeTaken(s"the controller of broker $id has no event")
    if (isHeldUp) throw new CannotBeTaken(s"the controller of broker $id handles an event")
    round = Some(new PausableCall(until, () => controller.eventManager.thread.doWork()))
    round.foreach(_.resume())
  }

  def resumeEvent(until: Pause.Value): Unit = {
    if (!isHeldUp) throw new CannotBeTaken(s"the controller of broker $id handles no event")
    round.foreach(_.resumeUntil(until))
  }

  /** Whether the controller's thread is in the midst of an event. */
  def isHeldUp: Boolean = round.exists(!_.isOver)

  /** The process ends; its thread asks ZooKeeper for nothing after that. */
  def end(): Unit = {
    session.leave()
    if (isHeldUp) round.foreach(_.end(new Killed))
  }

  /** The process learns that its session expired, and begins another one. */
  def beginSession(): Unit = session.renew { () =>
    if (isHeldUp) resumeEvent(Pause.NONE)
    while (!Option(queue.peek).exists(_.event == Expire)) Thread.`yield`()
    takeEvent(Pause.NONE)
  }

  /** What the model does not have is delivered and handled at once: that /controller was created, changes of one
   * broker or topic, and the end of what election tools asked for, which sets a watch again. */
  def handleAtOnce(): Unit = {
    for (event <- session.fired if !SteppedController.isModelled(event)) session.deliver(event)
    for (added <- queue.asScala.toSeq if !SteppedController.isModelled(added.event)) {
      queue.remove(added)
      added.process(controller)
    }
  }

  def deliver(event: WatchedEvent): Unit = session.deliver(event)

  private def queue =
    Private.get[LinkedBlockingQueue[QueuedEvent]](classOf[ControllerEventManager], "queue", controller.eventManager)

  private def haveRequestsWait(): Unit = {
    controller.controllerChannelManager = requests
    val machines = Seq(controller.replicaStateMachine, controller.partitionStateMachine)
      .map(machine => Private.get[AnyRef](machine.getClass, "controllerBrokerRequestBatch", machine))
    for (batch <- machines :+ Private.get[AnyRef](classOf[KafkaController], "brokerRequestBatch", controller))
      Private.set(classOf[ControllerBrokerRequestBatch], "controllerChannelManager", batch, requests)
  }

  private def properties: Properties = {
    val properties = new Properties
    def set(key: String, value: Any): Unit = properties.put(key, value.toString)
    set("broker.id", id)
    set("zookeeper.connect", "none:1")
    set("listeners", "PLAINTEXT://localhost:0")
    set("auto.leader.rebalance.enable", false)
    set("unclean.leader.election.enable", isUnclean)
    properties
  }
}

object SteppedController {
  private val Paths = Set(BrokerIdsZNode.path, TopicsZNode.path, LogDirEventNotificationZNode.path,
    IsrChangeNotificationZNode.path, DeleteTopicsZNode.path, ReassignPartitionsZNode.path)

  private def isModelled(event: WatchedEvent): Boolean =
    if (event.getPath == ControllerZNode.path) event.getType == EventType.NodeDeleted
    else Paths(event.getPath) || StepwiseSession.isState(event.getPath)

  private def isModelled(event: ControllerEvent): Boolean = event match {
    case ControllerChange | _: BrokerModifications | _: PartitionModifications => false
    case ReplicaLeaderElection(None, _, _, _) => false
    case _ => true
  }

  def endpoint(id: Int) =
    new Broker(id, s"host$id", 9000 + id, ListenerName.normalised("PLAINTEXT"), SecurityProtocol.PLAINTEXT)
}
