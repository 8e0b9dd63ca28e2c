package org.apache.kafka.controller

import java.util
import java.util.OptionalLong
import java.util.concurrent.TimeUnit

import org.apache.kafka.common.metadata._
import org.apache.kafka.common.protocol.{ApiKeys, ApiMessage}
import org.apache.kafka.common.message.RequestHeaderData
import org.apache.kafka.common.security.auth.KafkaPrincipal
import org.apache.kafka.common.utils.{LogContext, Time}
import org.apache.kafka.metadata.FinalizedControllerFeatures
import org.apache.kafka.metadata.placement.StripedReplicaPlacer
import org.apache.kafka.server.common.ApiMessageAndVersion
import org.apache.kafka.timeline.SnapshotRegistry

/** The managers of one active controller, without its event queue and without Raft. */
class ControllerManagers(time: Time) {
  private val registry = new SnapshotRegistry(new LogContext)
  val features: FeatureControlManager = new FeatureControlManager.Builder().setSnapshotRegistry(registry)
    .setQuorumFeatures(new QuorumFeatures(0, QuorumFeatures.defaultSupportedFeatureMap(true), util.List.of(Integer.valueOf(0))))
    .setClusterFeatureSupportDescriber(new ClusterFeatureSupportDescriber {
      def brokerSupported() = cluster.brokerSupportedFeatures
      def controllerSupported() = cluster.controllerSupportedFeatures
    }).build()
  val cluster: ClusterControlManager = new ClusterControlManager.Builder().setLogContext(new LogContext).setTime(time)
    .setSnapshotRegistry(registry).setClusterId(ControllerManagers.ClusterId)
    .setSessionTimeoutNs(TimeUnit.MILLISECONDS.toNanos(ControllerManagers.SessionTimeoutMs))
    .setReplicaPlacer(new StripedReplicaPlacer(new util.Random(0))).setFeatureControlManager(features)
    .setBrokerShutdownHandler((broker, isClean, records) => replication.handleBrokerShutdown(broker, isClean, records))
    .build()
  val configs: ConfigurationControlManager = new ConfigurationControlManager.Builder().setSnapshotRegistry(registry)
    .setFeatureControl(features).setKafkaConfigSchema(kafka.server.KafkaRaftServer.configSchema).build()
  lazy val replication: ReplicationControlManager = new ReplicationControlManager.Builder()
    .setSnapshotRegistry(registry).setLogContext(new LogContext).setConfigurationControl(configs)
    .setClusterControl(cluster).setFeatureControl(features).build()

  /** What QuorumController.replay does with a record. */
  def replay(record: ApiMessage, offset: Long): Unit = record match {
    case r: FeatureLevelRecord => features.replay(r)
    case r: RegisterBrokerRecord => cluster.replay(r, offset)
    case r: BrokerRegistrationChangeRecord => cluster.replay(r)
    case r: UnregisterBrokerRecord => cluster.replay(r)
    case r: ConfigRecord => configs.replay(r)
    case r: TopicRecord => replication.replay(r)
    case r: RemoveTopicRecord => replication.replay(r)
    case r: PartitionRecord => replication.replay(r)
    case r: PartitionChangeRecord => replication.replay(r)
    case r: ClearElrRecord => replication.replay(r)
    case _: NoOpRecord => ()
  }

  def finalizedFeatures: FinalizedControllerFeatures =
    new FinalizedControllerFeatures(features.finalizedFeatures(Long.MaxValue).featureMap, Long.MaxValue)

  def context(kind: ApiKeys): ControllerRequestContext = new ControllerRequestContext(
    new RequestHeaderData().setRequestApiKey(kind.id).setRequestApiVersion(kind.latestVersion),
    KafkaPrincipal.ANONYMOUS, OptionalLong.empty)
}

object ControllerManagers {
  val ClusterId = "replicheck"
  val SessionTimeoutMs = 9000L

  def record(message: ApiMessage): ApiMessageAndVersion =
    new ApiMessageAndVersion(message, message.highestSupportedVersion)
}
