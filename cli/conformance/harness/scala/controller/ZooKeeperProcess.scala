package kafka.zk

import java.io.File
import java.net.InetSocketAddress

import kafka.utils.MockTime
import kafka.zookeeper.StepwiseSession
import org.apache.zookeeper.server.{NIOServerCnxnFactory, ZooKeeperServer}

/** ZooKeeper's own server, in this process; each run has a folder of znodes of its own. */
class ZooKeeperProcess(folder: File) {
  System.setProperty("zookeeper.forceSync", "no")
  System.setProperty("zookeeper.admin.enableServer", "false")
  private val server = new ZooKeeperServer(folder, folder, StepwiseSession.TimeoutMs / 20)
  private val factory = new NIOServerCnxnFactory
  factory.configure(new InetSocketAddress("127.0.0.1", 0), 0)
  factory.startup(server)

  def session(root: String, time: MockTime): StepwiseSession =
    new StepwiseSession(s"127.0.0.1:${server.getClientPort}$root", time)

  def client(session: StepwiseSession, time: MockTime): KafkaZkClient = new KafkaZkClient(session, false, time)

  def close(): Unit = factory.shutdown()
}
