package kafka.zk

import java.util.Properties

import org.apache.kafka.common.utils.Time
import org.apache.zookeeper.data.Stat

import scala.collection.mutable

/** ZooKeeper as a map: what leaders write ISRs to, and topic configurations, of which there are none. */
class ZooKeeperNodes(time: Time) extends KafkaZkClient(null, false, time) {
  private val nodes = mutable.Map[String, (Array[Byte], Int)]()

  def put(path: String, data: Array[Byte], version: Int): Unit = nodes(path) = (data, version)

  override def conditionalUpdatePath(path: String, data: Array[Byte], expectVersion: Int,
      checker: Option[(KafkaZkClient, String, Array[Byte]) => (Boolean, Int)]): (Boolean, Int) =
    nodes.get(path) match {
      case Some((_, version)) if version == expectVersion =>
        put(path, data, version + 1)
        (true, version + 1)
      case _ => checker.map(_(this, path, data)).getOrElse((false, -1))
    }

  override def getDataAndStat(path: String): (Option[Array[Byte]], Stat) = {
    val stat = new Stat
    nodes.get(path).foreach { case (_, version) => stat.setVersion(version) }
    (nodes.get(path).map(_._1), stat)
  }

  override def getEntityConfigs(rootEntityType: String, sanitizedEntityName: String): Properties = new Properties
}
