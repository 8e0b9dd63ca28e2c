package kafka.zookeeper

import java.util.concurrent.CountDownLatch

import kafka.server.{CannotBeTaken, Private}
import kafka.zk.BrokerIdsZNode
import org.apache.kafka.common.utils.Time
import org.apache.zookeeper.{WatchedEvent, Watcher}
import org.apache.zookeeper.AsyncCallback.StatCallback
import org.apache.zookeeper.Watcher.Event.EventType
import org.apache.zookeeper.data.Stat

import scala.collection.{Seq, mutable}

/** Kafka's client of ZooKeeper; a watch that fires waits here until it is delivered. */
class StepwiseSession(address: String, time: Time)
  extends ZooKeeperClient(address, StepwiseSession.TimeoutMs, StepwiseSession.TimeoutMs, Int.MaxValue, time, "kafka.server",
    "SessionExpireListener") {

  private val arriving = mutable.ArrayBuffer[WatchedEvent]()
  private val arrived = mutable.LinkedHashMap[(String, EventType), (WatchedEvent, AnyRef)]()

  currentZooKeeper.register(new Watcher {
    override def process(event: WatchedEvent): Unit =
      if (event.getPath == null) ZooKeeperClientWatcher.process(event)
      else arriving.synchronized { arriving += event }
  })

  def fired: Seq[WatchedEvent] = arrived.values.map(_._1).toSeq

  /** All that was fired so far has arrived, and what has no handler is gone. */
  def settle(): Unit = {
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
