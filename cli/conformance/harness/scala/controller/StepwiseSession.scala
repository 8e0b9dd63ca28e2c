package kafka.zookeeper

import java.util.concurrent.CountDownLatch

import kafka.server.{CannotBeTaken, Killed, PausableCall, Pause, Private}
import kafka.zk.BrokerIdsZNode
import org.apache.kafka.common.utils.Time
import org.apache.zookeeper.{WatchedEvent, Watcher}
import org.apache.zookeeper.AsyncCallback.StatCallback
import org.apache.zookeeper.KeeperException.Code
import org.apache.zookeeper.Watcher.Event.EventType
import org.apache.zookeeper.data.Stat

import scala.collection.{Seq, mutable}

/** Kafka's client of ZooKeeper; a watch that fires waits here until it is delivered. */
class StepwiseSession(address: String, time: Time)
  extends ZooKeeperClient(address, StepwiseSession.TimeoutMs, StepwiseSession.TimeoutMs, Int.MaxValue, time, "kafka.server",
    "SessionExpireListener") {

  private val arriving = mutable.ArrayBuffer[WatchedEvent]()
  private val arrived = mutable.LinkedHashMap[(String, EventType), (WatchedEvent, AnyRef)]()

  private var lost = Set[(String, Int)]()
  private var repeats = false
  @volatile private var awaited: Option[SetDataOp] = None
  @volatile private var isLeft = false
  private val written = mutable.Map[String, Int]().withDefaultValue(0)
  watch()

  private def watch(): Unit = currentZooKeeper.register(new Watcher {
    override def process(event: WatchedEvent): Unit =
      if (event.getPath == null) ZooKeeperClientWatcher.process(event)
      else arriving.synchronized { arriving += event }
  })

  /** Replies that get lost: of which path, and of which of the writes to it that succeed from now on, the first being 1. */
  def lose(replies: Set[(String, Int)]): Unit = {
    lost = replies
    written.clear()
  }

  /** No request of the process is sent any more. */
  def leave(): Unit = isLeft = true

  /** A call that is to be held up waits here before it changes a partition's state; the repetition of what was lost does
    * not wait once more. */
  override def handleRequests[Req <: AsyncRequest](requests: Seq[Req]): Seq[Req#Response] = {
    if (!repeats) for (write <- requests.flatMap(writtenState).headOption) {
      awaited = Some(write)
      PausableCall.stopAt(Pause.WRITE, Pause.NONE)
      awaited = None
    }
    if (isLeft) throw new Killed
    repeats = false
    requests.zip(super.handleRequests(requests)).map {
      case (MultiRequest(operations, context), MultiResponse(Code.OK, path, _, _, metadata)) if isLost(operations) =>
        repeats = true
        MultiResponse(Code.CONNECTIONLOSS, path, context, null, metadata).asInstanceOf[Req#Response]
      case (_, response) => response
    }
  }

  /** The write of a partition's state that a call is held up before. */
  def awaitedWrite: Option[SetDataOp] = awaited

  private def writtenState(request: AsyncRequest): Option[SetDataOp] = request match {
    case MultiRequest(operations, _) =>
      operations.collectFirst { case write: SetDataOp if StepwiseSession.isState(write.path) => write }
    case _ => None
  }

  private def isLost(operations: Seq[ZkOp]): Boolean = {
    val paths = operations.collect { case SetDataOp(path, _, _) => path; case CreateOp(path, _, _, _) => path }
    paths.foreach(path => written(path) += 1)
    paths.exists(path => lost((path, written(path))))
  }

  def isAlive: Boolean = connectionState.isAlive

  /** The session ends, with all its watches, and nothing tells the process of it yet. */
  def expire(): Unit = {
    currentZooKeeper.close()
    arrived.clear()
    arriving.synchronized { arriving.clear() }
  }

  /** What Kafka's scheduler does about a session that expired, on a thread of its own: it waits until the controller's
    * thread, here the caller, has handled that. */
  def renew(handleExpiry: () => Unit): Unit = {
    val renewal = new Thread(() => forceReinitialize())
    renewal.start()
    handleExpiry()
    renewal.join()
    watch()
    waitUntilConnected()
  }

  def fired: Seq[WatchedEvent] = arrived.values.map(_._1).toSeq

  /** All that was fired so far has arrived, and what has no handler is gone. */
  def settle(): Unit = if (isAlive) {
    val done = new CountDownLatch(1)
    currentZooKeeper.exists("/", false, new StatCallback {
      def processResult(rc: Int, path: String, ctx: Any, stat: Stat): Unit = done.countDown()
    }, null)
    done.await()
    arriving.synchronized {
      for (event <- arriving; handler <- handlers(event.getType).get(event.getPath))
        arrived((event.getPath, event.getType)) = (event, handler)
      arriving.clear()
    }
  }

  /** ZooKeeper's thread found the handler when the watch fired, and runs it now. */
  def deliver(event: WatchedEvent): Unit = {
    val (_, handler) = arrived.remove((event.getPath, event.getType))
      .getOrElse(throw new CannotBeTaken(s"no watch of ${event.getPath} has fired"))
    (handler, event.getType) match {
      case (found: ZNodeChildChangeHandler, _) => found.handleChildChange()
      case (found: ZNodeChangeHandler, EventType.NodeCreated) => found.handleCreation()
      case (found: ZNodeChangeHandler, EventType.NodeDeleted) => found.handleDeletion()
      case (found: ZNodeChangeHandler, _) => found.handleDataChange()
    }
  }

  /** Of a controller that resigns nothing is left to be delivered. */
  override def unregisterZNodeChildChangeHandler(path: String): Unit = {
    settle()
    super.unregisterZNodeChildChangeHandler(path)
    arrived.filterInPlace { case ((found, _), _) =>
      found != path && !(path == BrokerIdsZNode.path && StepwiseSession.isState(found))
    }
  }

  /** A watch of a partition's state that has fired stays. */
  override def unregisterZNodeChangeHandler(path: String): Unit = {
    settle()
    super.unregisterZNodeChangeHandler(path)
    if (!StepwiseSession.isState(path)) arrived.filterInPlace { case ((found, _), _) => found != path }
  }

  private def handlers(kind: EventType): mutable.Map[String, AnyRef] = {
    val name = if (kind == EventType.NodeChildrenChanged) "zNodeChildChangeHandlers" else "zNodeChangeHandlers"
    Private.get[mutable.Map[String, AnyRef]](classOf[ZooKeeperClient], name, this)
  }
}

object StepwiseSession {
  /** No session ends by itself. */
  val TimeoutMs = 600000

  def isState(path: String): Boolean = path.endsWith("/state")
}
