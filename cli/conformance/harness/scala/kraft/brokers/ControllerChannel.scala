package kafka.server

import java.util.Optional

import org.apache.kafka.clients.NodeApiVersions
import org.apache.kafka.common.requests.AbstractRequest
import org.apache.kafka.server.common.{ControllerRequestCompletionHandler, NodeToControllerChannelManager}

/** Sends nothing: each request is kept until a step takes it to the controller. */
class ControllerChannel(keep: (AbstractRequest, ControllerRequestCompletionHandler) => Unit)
  extends NodeToControllerChannelManager {

  def start(): Unit = ()
  def shutdown(): Unit = ()
  def controllerApiVersions(): Optional[NodeApiVersions] = Optional.empty()
  def getTimeoutMs: Long = 0
  def sendRequest(request: AbstractRequest.Builder[_ <: AbstractRequest], done: ControllerRequestCompletionHandler): Unit =
    keep(request.build(), done)
}
