// Two leader changes that a leader publishes at once, on the classes of Apache Kafka 4.1.1: 3 brokers and the controller's replication part in one JVM.
// Nothing is started: no fetcher thread, no network, no scheduler; time is a MockTime.
package org.apache.kafka.controller {
  import java.util
  import java.util.{Collections, List => JList, Optional, OptionalLong}
  import java.util.concurrent.TimeUnit
  import org.apache.kafka.common.Uuid
  import org.apache.kafka.common.message._
  import org.apache.kafka.common.message.BrokerRegistrationRequestData._
  import org.apache.kafka.common.metadata._
  import org.apache.kafka.common.protocol.{ApiKeys, ApiMessage}
  import org.apache.kafka.common.security.auth.KafkaPrincipal
  import org.apache.kafka.common.utils.{LogContext, MockTime}
  import org.apache.kafka.metadata.FinalizedControllerFeatures
  import org.apache.kafka.metadata.placement.StripedReplicaPlacer
  import org.apache.kafka.server.common.{Feature => _, _}
  import org.apache.kafka.timeline.SnapshotRegistry
  import scala.collection.mutable
  import scala.jdk.CollectionConverters._

  /** The active controller without its event queue and without Raft: every answer's records are one committed batch. */
  class TheController(time: MockTime, elr: Boolean) {
    val cluster = "ReplicheckKRaftFindgsQ"
    private val registry = new SnapshotRegistry(new LogContext)
    private val features = new FeatureControlManager.Builder().setSnapshotRegistry(registry)
      .setQuorumFeatures(new QuorumFeatures(0, QuorumFeatures.defaultSupportedFeatureMap(true), util.List.of(Integer.valueOf(0)))).build()
    private val clusterControl: ClusterControlManager = new ClusterControlManager.Builder().setLogContext(new LogContext).setTime(time)
      .setSnapshotRegistry(registry).setClusterId(cluster).setSessionTimeoutNs(TimeUnit.SECONDS.toNanos(9))
      .setReplicaPlacer(new StripedReplicaPlacer(new java.util.Random(0))).setFeatureControlManager(features)
      .setBrokerShutdownHandler((b, clean, rs) => replication.handleBrokerShutdown(b, clean, rs)).build()
    private val configs = new ConfigurationControlManager.Builder().setSnapshotRegistry(registry).setFeatureControl(features)
      .setKafkaConfigSchema(kafka.server.KafkaRaftServer.configSchema).build()
    lazy val replication: ReplicationControlManager = new ReplicationControlManager.Builder().setSnapshotRegistry(registry)
      .setConfigurationControl(configs).setClusterControl(clusterControl).setFeatureControl(features).build()

    /** The metadata log: committed batches, in order. */
    val log = mutable.ArrayBuffer[JList[ApiMessageAndVersion]]()
    def offset(batch: Int): Long = log.take(batch).map(_.size.toLong).sum
    private def commit(what: String, records: JList[ApiMessageAndVersion]): Unit = if (!records.isEmpty) {
      val base = offset(log.size)
      records.asScala.zipWithIndex.foreach { case (r, i) => replay(r.message, base + i) }
      log += records
      if (records.asScala.exists(r => r.message.isInstanceOf[PartitionRecord] || r.message.isInstanceOf[PartitionChangeRecord])) println(f"  batch ${log.size - 1}%2d  $what")
      records.asScala.map(_.message).foreach {
        case p: PartitionRecord => println(s"            PartitionRecord replicas=${p.replicas} isr=${p.isr} leader=${p.leader} leaderEpoch=${p.leaderEpoch}")
        case p: PartitionChangeRecord => val q = partition
          println(s"            PartitionChangeRecord leader=${if (p.leader == -2) "same" else p.leader} isr=${Option(p.isr).getOrElse("same")}" +
            s"  => leader=${q.leader} leaderEpoch=${q.leaderEpoch} partitionEpoch=${q.partitionEpoch} isr=${q.isr.mkString("[", ", ", "]")}" + (if (q.elr.nonEmpty) s" elr=${q.elr.mkString("[", ", ", "]")}" else ""))
        case _ =>
      }
    }
    private def replay(m: ApiMessage, offset: Long): Unit = m match {
      case r: FeatureLevelRecord => features.replay(r)
      case r: RegisterBrokerRecord => clusterControl.replay(r, offset)
      case r: BrokerRegistrationChangeRecord => clusterControl.replay(r)
      case r: ConfigRecord => configs.replay(r)
      case r: TopicRecord => replication.replay(r)
      case r: ClearElrRecord => replication.replay(r)
      case r: PartitionRecord => replication.replay(r)
      case r: PartitionChangeRecord => replication.replay(r)
    }
    private def context(k: ApiKeys) = new ControllerRequestContext(new RequestHeaderData().setRequestApiKey(k.id).setRequestApiVersion(k.latestVersion), KafkaPrincipal.ANONYMOUS, OptionalLong.empty)
    private def feature(name: String, level: Short) = new ApiMessageAndVersion(new FeatureLevelRecord().setName(name).setFeatureLevel(level), 0.toShort)
    clusterControl.activate()
    commit("bootstrap", util.List.of(feature(MetadataVersion.FEATURE_NAME, MetadataVersion.LATEST_PRODUCTION.featureLevel),
      feature(EligibleLeaderReplicasVersion.FEATURE_NAME, if (elr) 1.toShort else 0.toShort)))

    var topicId: Uuid = _
    val epochs = mutable.Map[Int, Long]()
    def partition = replication.getPartition(topicId, 0)
    def register(b: Int, dir: Uuid): Unit = {
      val fs = new FeatureCollection
      fs.add(new Feature().setName(MetadataVersion.FEATURE_NAME).setMinSupportedVersion(MetadataVersion.MINIMUM_VERSION.featureLevel).setMaxSupportedVersion(MetadataVersion.LATEST_PRODUCTION.featureLevel))
      fs.add(new Feature().setName(EligibleLeaderReplicasVersion.FEATURE_NAME).setMinSupportedVersion(0.toShort).setMaxSupportedVersion(1.toShort))
      val ls = new ListenerCollection
      ls.add(new Listener().setName("PLAINTEXT").setHost(s"host$b").setPort(9000 + b).setSecurityProtocol(0))
      val r = clusterControl.registerBroker(new BrokerRegistrationRequestData().setBrokerId(b).setClusterId(cluster).setIncarnationId(new Uuid(b + 1, log.size + 1))
        .setFeatures(fs).setListeners(ls).setLogDirs(util.List.of(dir)).setPreviousBrokerEpoch(-1),
        offset(log.size), new FinalizedControllerFeatures(features.finalizedFeatures(Long.MaxValue).featureMap, offset(log.size)), false)
      commit(s"registerBroker($b)", r.records)
      epochs(b) = r.response.epoch
    }
    def heartbeat(b: Int): Unit = { clusterControl.trackBrokerHeartbeat(b, epochs(b)); commit(s"heartbeat($b): unfenced", replication.processBrokerHeartbeat(new BrokerHeartbeatRequestData().setBrokerId(b)
      .setBrokerEpoch(epochs(b)).setCurrentMetadataOffset(Long.MaxValue).setWantFence(false).setWantShutDown(false), 0L).records) }
    def create(topic: String, replicas: Seq[Int], minIsr: Int): Unit = {
      val t = new CreateTopicsRequestData.CreatableTopic().setName(topic).setNumPartitions(-1).setReplicationFactor((-1).toShort)
      t.assignments.add(new CreateTopicsRequestData.CreatableReplicaAssignment().setPartitionIndex(0).setBrokerIds(replicas.map(Integer.valueOf).asJava))
      t.configs.add(new CreateTopicsRequestData.CreatableTopicConfig().setName("min.insync.replicas").setValue(minIsr.toString))
      val q = new CreateTopicsRequestData; q.topics.add(t)
      val r = replication.createTopics(context(ApiKeys.CREATE_TOPICS), q, util.Set.of(topic))
      topicId = r.response.topics.find(topic).topicId
      commit(s"createTopics($topic, replicas $replicas, min.insync.replicas $minIsr)", r.records)
    }
    /** The session of b times out; those of the others do not. */
    def fence(b: Int): Unit = {
      time.sleep(5000); others(b).foreach(heartbeat); time.sleep(5000)
      val r = replication.maybeFenceOneStaleBroker()
      commit(s"maybeFenceOneStaleBroker: $b", r.records)
    }
    private def others(b: Int) = epochs.keys.toSeq.sorted.filter(x => x != b && !clusterControl.brokerRegistrations.get(x).fenced)
    def balance(): Unit = commit("maybeBalancePartitionLeaders", replication.maybeBalancePartitionLeaders().records)
    def reassign(topic: String, replicas: Seq[Int]): Unit = {
      val q = new AlterPartitionReassignmentsRequestData().setTopics(util.List.of(new AlterPartitionReassignmentsRequestData.ReassignableTopic().setName(topic)
        .setPartitions(util.List.of(new AlterPartitionReassignmentsRequestData.ReassignablePartition().setPartitionIndex(0).setReplicas(replicas.map(Integer.valueOf).asJava)))))
      commit(s"alterPartitionReassignments(replicas $replicas)", replication.alterPartitionReassignments(q).records)
    }
    def alterPartition(leader: Int, l: org.apache.kafka.metadata.LeaderAndIsr): org.apache.kafka.metadata.LeaderAndIsr = {
      val p = new AlterPartitionRequestData.PartitionData().setPartitionIndex(0).setLeaderEpoch(l.leaderEpoch).setPartitionEpoch(l.partitionEpoch)
        .setNewIsrWithEpochs(l.isrWithBrokerEpoch).setLeaderRecoveryState(l.leaderRecoveryState.value)
      val r = replication.alterPartition(context(ApiKeys.ALTER_PARTITION), new AlterPartitionRequestData().setBrokerId(leader).setBrokerEpoch(epochs(leader))
        .setTopics(util.List.of(new AlterPartitionRequestData.TopicData().setTopicId(topicId).setPartitions(util.List.of(p)))))
      commit(s"alterPartition by $leader", r.records)
      val a = r.response.topics.get(0).partitions.get(0)
      if (a.errorCode != 0) throw org.apache.kafka.common.protocol.Errors.forCode(a.errorCode).exception
      new org.apache.kafka.metadata.LeaderAndIsr(a.leaderId, a.leaderEpoch, a.isr, org.apache.kafka.metadata.LeaderRecoveryState.of(a.leaderRecoveryState), a.partitionEpoch)
    }
  }
}

package kafka.server {
  import java.io.File
  import java.nio.file.Files
  import java.util
  import java.util.{Optional, OptionalLong, Properties}
  import java.util.concurrent.{CompletableFuture, ScheduledFuture}
  import kafka.log.LogManager
  import kafka.server.metadata.{BrokerMetadataPublisher, KRaftMetadataCache}
  import org.apache.kafka.clients.ClientResponse
  import org.apache.kafka.common.{TopicIdPartition, TopicPartition, Uuid}
  import org.apache.kafka.common.compress.Compression
  import org.apache.kafka.common.message.FetchResponseData
  import org.apache.kafka.common.metrics.Metrics
  import org.apache.kafka.common.protocol.{ApiKeys, Errors}
  import org.apache.kafka.common.record._
  import org.apache.kafka.common.requests._
  import org.apache.kafka.common.requests.ProduceResponse.PartitionResponse
  import org.apache.kafka.common.utils.LogContext
  import org.apache.kafka.controller.TheController
  import org.apache.kafka.image.loader.MetadataLoader
  import org.apache.kafka.metadata.LeaderAndIsr
  import org.apache.kafka.metadata.properties.{MetaProperties, MetaPropertiesEnsemble, MetaPropertiesVersion, PropertiesUtils}
  import org.apache.kafka.raft.Batch
  import org.apache.kafka.raft.internals.MemoryBatchReader
  import org.apache.kafka.server.common.{ApiMessageAndVersion, KRaftVersion}
  import org.apache.kafka.server.config.ReplicationQuotaManagerConfig
  import org.apache.kafka.server.fault.FaultHandler
  import org.apache.kafka.server.network.BrokerEndPoint
  import org.apache.kafka.server.purgatory.{DelayedOperation, DelayedOperationPurgatory}
  import org.apache.kafka.server.quota.QuotaType
  import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams, FetchPartitionData}
  import org.apache.kafka.server.util.{MockTime, Scheduler}
  import org.apache.kafka.server.util.timer.MockTimer
  import org.apache.kafka.storage.internals.log.{AppendOrigin, CleanerConfig, LogConfig, LogDirFailureChannel, ProducerStateManagerConfig}
  import org.apache.kafka.storage.log.metrics.BrokerTopicStats
  import org.mockito.Mockito.mock
  import scala.collection.{Map, mutable}
  import scala.jdk.CollectionConverters._
  import scala.jdk.OptionConverters._

  object NoScheduler extends Scheduler {
    def startup(): Unit = (); def shutdown(): Unit = (); def resizeThreadPool(n: Int): Unit = ()
    def schedule(name: String, task: Runnable, delayMs: Long, periodMs: Long): ScheduledFuture[_] = new CompletableFutureTask
    class CompletableFutureTask extends util.concurrent.FutureTask[Void](() => null) with ScheduledFuture[Void] {
      def getDelay(u: util.concurrent.TimeUnit) = 0L; def compareTo(o: util.concurrent.Delayed) = 0
    }
  }

  class Broker(val w: World, val id: Int, dir: File) {
    val props = new Properties
    Seq("node.id" -> id, "process.roles" -> "broker", "controller.quorum.voters" -> "1000@localhost:9999", "controller.listener.names" -> "CONTROLLER",
      "listeners" -> s"PLAINTEXT://host$id:${9000 + id}", "advertised.listeners" -> s"PLAINTEXT://host$id:${9000 + id}", "log.dirs" -> dir.getPath,
      "listener.security.protocol.map" -> "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT", "replica.fetch.wait.max.ms" -> 0, "log.segment.bytes" -> (1 << 20), "log.index.size.max.bytes" -> 4096)
      .foreach { case (k, v) => props.put(k, v.toString) }
    val config = KafkaConfig.fromProps(props)
    val dirId: Uuid = new Uuid(77, id + 1)
    dir.mkdirs()
    PropertiesUtils.writePropertiesFile(new MetaProperties.Builder().setVersion(MetaPropertiesVersion.V1).setClusterId(w.controller.cluster).setNodeId(id).setDirectoryId(dirId).build().toProperties,
      new File(dir, MetaPropertiesEnsemble.META_PROPERTIES_NAME).getPath, false)
    val metrics = new Metrics
    val failures = new LogDirFailureChannel(1)
    val timer = new MockTimer(w.time)
    val stats = new BrokerTopicStats
    val cache = new KRaftMetadataCache(id, () => KRaftVersion.KRAFT_VERSION_0)
    val logManager = new LogManager(Seq(dir.getAbsoluteFile), Seq(), cache, new LogConfig(config.extractLogConfigMap), new CleanerConfig(false), 1, 1000L, 10000L, 10000L, 1000L,
      60 * 60 * 1000, new ProducerStateManagerConfig(86400000, true), 600000, NoScheduler, stats, failures, w.time, false, 30000L)
    val quotas = { def q(t: QuotaType) = new ReplicationQuotaManager(new ReplicationQuotaManagerConfig, metrics, t, w.time)
      new QuotaFactory.QuotaManagers(null, null, null, null, q(QuotaType.LEADER_REPLICATION), q(QuotaType.FOLLOWER_REPLICATION), q(QuotaType.ALTER_LOG_DIRS_REPLICATION), Optional.empty()) }
    /** AlterPartition: kept until the world passes it on. */
    val alters = mutable.Queue[(LeaderAndIsr, CompletableFuture[LeaderAndIsr])]()
    val alterManager = new AlterPartitionManager {
      def submit(t: org.apache.kafka.server.common.TopicIdPartition, l: LeaderAndIsr): CompletableFuture[LeaderAndIsr] = { val f = new CompletableFuture[LeaderAndIsr]; alters += ((l, f)); f }
    }
    private def purgatory[T <: DelayedOperation](n: String) = Some(new DelayedOperationPurgatory[T](n, timer, id, 1000, false, true))
    val rm: ReplicaManager = new ReplicaManager(config, metrics, w.time, NoScheduler, logManager, None, quotas, cache, failures, alterManager, stats,
      delayedProducePurgatoryParam = purgatory("Produce"), delayedFetchPurgatoryParam = purgatory("Fetch"), delayedDeleteRecordsPurgatoryParam = purgatory("DeleteRecords"),
      delayedRemoteFetchPurgatoryParam = purgatory("RemoteFetch"), delayedRemoteListOffsetsPurgatoryParam = purgatory("RemoteListOffsets"), delayedShareFetchPurgatoryParam = purgatory("ShareFetch"),
      brokerEpochSupplier = () => w.controller.epochs(id)) {
      override def startup(): Unit = () // no ISR expiration, no thread that waits for failed directories
      override protected def createReplicaFetcherManager(m: Metrics, t: org.apache.kafka.common.utils.Time, p: Option[String], q: ReplicationQuotaManager) =
        new ReplicaFetcherManager(config, this, m, t, p, q, () => metadataCache.metadataVersion(), brokerEpochSupplier) {
          override def createFetcherThread(fetcherId: Int, source: BrokerEndPoint): ReplicaFetcherThread = {
            val c = new LogContext("")
            val leader = new RemoteLeaderEndPoint("", new Wire(w, source), new org.apache.kafka.clients.FetchSessionHandler(c, source.id), config, replicaManager, q, () => metadataCache.metadataVersion(), brokerEpochSupplier)
            new ReplicaFetcherThread(s"f-$fetcherId-${source.id}", leader, config, failedPartitions, replicaManager, q, "") { override def start(): Unit = () }
          }
        }
    }
    val faults: FaultHandler = (m, c) => { c.printStackTrace(); throw new RuntimeException(m, c) }
    private def m[T](c: Class[T]): T = mock(c)
    val publisher = new BrokerMetadataPublisher(config, cache, logManager, rm, m(classOf[org.apache.kafka.coordinator.group.GroupCoordinator]),
      m(classOf[kafka.coordinator.transaction.TransactionCoordinator]), m(classOf[org.apache.kafka.coordinator.share.ShareCoordinator]), m(classOf[kafka.server.share.SharePartitionManager]),
      m(classOf[kafka.server.metadata.DynamicConfigPublisher]), m(classOf[kafka.server.metadata.DynamicClientQuotaPublisher]), m(classOf[kafka.server.metadata.DynamicTopicClusterQuotaPublisher]),
      m(classOf[kafka.server.metadata.ScramPublisher]), m(classOf[kafka.server.metadata.DelegationTokenPublisher]), m(classOf[org.apache.kafka.metadata.publisher.AclPublisher]), faults, faults)
    var delivered = 0 // batches
    val loader = new MetadataLoader.Builder().setNodeId(id).setFaultHandler(faults).setHighWaterMarkAccessor(() => OptionalLong.of(w.controller.offset(delivered))).build()
    var installed = false
    /** What Raft does: one reader for all batches that were committed since. Returns when published. */
    def deliver(batches: Int): Unit = {
      val bs = (delivered until delivered + batches).map(i => Batch.data[ApiMessageAndVersion](w.controller.offset(i), 1, w.time.milliseconds, 100, w.controller.log(i)))
      delivered += batches
      loader.handleCommit(MemoryBatchReader.of(bs.asJava, _ => ()))
      if (!installed) { installed = true; loader.installPublishers(util.List.of(publisher)).get; publisher.firstPublishFuture.get }
      val all = classOf[MetadataLoader].getDeclaredMethod("waitForAllEventsToBeHandled"); all.setAccessible(true); all.invoke(loader)
    }
    def thread: Option[ReplicaFetcherThread] = rm.replicaFetcherManager.fetcherThreadMap.values.headOption
    def show: String = {
      val l = rm.localLogOrException(w.tp); val p = rm.getPartitionOrException(w.tp)
      val rs = l.logSegments.asScala.flatMap(_.log.batches.asScala).flatMap(b => b.asScala.map(r => s"${r.offset}:${new String(org.apache.kafka.common.utils.Utils.toArray(r.value))}@le${b.partitionLeaderEpoch}"))
      s"${World.names(id)} " + (if (p.isLeader) s"LEADER le ${p.getLeaderEpoch}" else s"follows ${p.leaderReplicaIdOpt.filter(_ >= 0).map(World.names).getOrElse("none")} le ${p.getLeaderEpoch}") +
        s"  LEO=${l.logEndOffset} HW=${l.highWatermark}  log ${rs.mkString("[", " ", "]")}" + (if (p.isLeader)
          s"  isr=${p.inSyncReplicaIds.toSeq.sorted.map(World.names).mkString("{", ",", "}")}" + p.remoteReplicas.toSeq.sortBy(_.brokerId).map(r => s"  rep[${World.names(r.brokerId)}].leo=${r.stateSnapshot.logEndOffset}").mkString else "")
    }
    def stop(): Unit = { loader.close(); logManager.allLogs.foreach(_.closeHandlers()) }
  }

  /** The network between fetcher and leader: what KafkaApis.handleFetchRequest does for a follower without a session. */
  class Wire(w: World, source: BrokerEndPoint) extends BlockingSend {
    def brokerEndPoint(): BrokerEndPoint = source; def initiateClose(): Unit = (); def close(): Unit = ()
    def sendRequest(builder: AbstractRequest.Builder[_ <: AbstractRequest]): ClientResponse = {
      val r = builder.build().asInstanceOf[FetchRequest]
      val leader = w.alive.getOrElse(source.id, throw new java.io.IOException("down"))
      val names = util.Map.of(w.controller.topicId, World.Topic)
      val out = new util.LinkedHashMap[TopicIdPartition, FetchResponseData.PartitionData]
      leader.rm.fetchMessages(new FetchParams(r.replicaId, r.replicaEpoch, r.maxWait, r.minBytes, r.maxBytes, FetchIsolation.of(r), Optional.empty()),
        r.fetchData(names).asScala.toSeq, leader.quotas.leader, answer => answer.foreach { case (t, d) =>
          val x = new FetchResponseData.PartitionData().setPartitionIndex(t.partition).setErrorCode(d.error.code).setHighWatermark(d.highWatermark)
            .setLastStableOffset(d.lastStableOffset.orElse(-1)).setLogStartOffset(d.logStartOffset).setRecords(World.copy(d.records))
          d.divergingEpoch.ifPresent(e => x.setDivergingEpoch(e)); out.put(t, x) })
      val name = World.names(r.replicaId)
      out.forEach { (t, d) => val q = r.fetchData(names).get(t)
        println(s"    fetch $name -> ${World.names(source.id)}: offset ${q.fetchOffset} lastFetchedEpoch ${q.lastFetchedEpoch.toScala.getOrElse("-")}: ${Errors.forCode(d.errorCode)} ${d.records.sizeInBytes} bytes hw ${d.highWatermark}" +
          (if (FetchResponse.isDivergingEpoch(d)) s" diverging (epoch ${d.divergingEpoch.epoch}, end ${d.divergingEpoch.endOffset})" else "")) }
      new ClientResponse(new RequestHeader(ApiKeys.FETCH, r.version, "", 0), null, source.id.toString, 0, 0, false, null, null, FetchResponse.of(Errors.NONE, 0, FetchMetadata.INVALID_SESSION_ID, out, util.List.of()))
    }
  }

  class World(base: File, elr: Boolean) {
    val time = new MockTime
    val controller = new TheController(time, elr)
    val tp = new TopicPartition(World.Topic, 0)
    val alive = mutable.Map[Int, Broker]()
    val acks = mutable.LinkedHashMap[String, Errors]()
    private var starts = 0
    private def dir = { starts += 1; new File(base, starts.toString) }
    private val dirs = mutable.Map[Int, File]()
    def say(s: String): Unit = println(s"- $s")
    def state(): Unit = { alive.toSeq.sortBy(_._1).foreach { case (_, b) => if (b.rm.getPartitionOrError(tp).isRight) println(s"    ${b.show}") }
      println(s"    acks=all answers: ${acks.map { case (k, v) => s"$k=$v" }.mkString("{", ", ", "}")}") }
    def start(b: Int): Unit = {
      val d = dir
      dirs.get(b).foreach(old => Runtime.getRuntime.exec(Array("cp", "-r", old.getPath, d.getPath)).waitFor())
      new File(d, ".lock").delete(); dirs(b) = d; alive(b) = new Broker(this, b, d)
      controller.register(b, alive(b).dirId); controller.heartbeat(b)
    }
    def crash(b: Int): Unit = alive.remove(b).get.stop()
    /** Everything that is committed: merged (one reader) or one batch at a time. */
    def catchUp(b: Int, merged: Boolean = false): Unit = {
      val x = alive(b); val n = controller.log.size - x.delivered
      if (n == 0) return
      val first = !x.installed // a starting broker: its loader publishes nothing before it has caught up
      if (merged || first) x.deliver(n) else (1 to n).foreach(_ => x.deliver(1))
      if (!first) println(s"    ${World.names(b)} publishes $n batches" + (if (n > 1) { if (merged) " in ONE delta" else " one by one" } else ""))
    }
    def fetch(b: Int): Unit = alive(b).thread.foreach(_.doWork())
    def produce(b: Int, value: String): Unit = alive(b).rm.appendRecords(30000L, (-1).toShort, false, AppendOrigin.CLIENT,
      Map(new TopicIdPartition(controller.topicId, tp) -> MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(time.milliseconds, null, value.getBytes))),
      (r: Map[TopicIdPartition, PartitionResponse]) => acks(value) = r.values.head.error)
    def consume(b: Int): String = { // a consumer that reads from the beginning
      var s = ""
      alive(b).rm.fetchMessages(new FetchParams(-1, -1, 0, 0, 1 << 20, FetchIsolation.HIGH_WATERMARK, Optional.empty()),
        Seq(new TopicIdPartition(controller.topicId, tp) -> new FetchRequest.PartitionData(controller.topicId, 0, 0, 1 << 20, Optional.empty())), alive(b).quotas.leader,
        (a: scala.collection.Seq[(TopicIdPartition, FetchPartitionData)]) => s = a.head._2.records.records.asScala.map(r => new String(org.apache.kafka.common.utils.Utils.toArray(r.value))).mkString("[", " ", "]"))
      s
    }
    def passAlterPartition(b: Int): Unit = while (alive(b).alters.nonEmpty) { val (l, f) = alive(b).alters.dequeue(); f.complete(controller.alterPartition(b, l)) }
  }

  object World {
    val Topic = "t"; val B = 0; val A = 1; val C = 2
    val names = Map(B -> "B", A -> "A", C -> "C")
    def copy(r: BaseRecords): Records = r match {
      case f: FileRecords => val b = java.nio.ByteBuffer.allocate(f.sizeInBytes); f.readInto(b, 0); MemoryRecords.readableRecords(b)
      case m: MemoryRecords => m
    }
  }

  object SkippedEpoch {
    import World._
    /** how: merged | control; second: which way A comes back to lead. */
    def run(base: File, merged: Boolean, fenced: Boolean, elr: Boolean): Unit = {
      println(s"\n===== A publishes both changes ${if (merged) "in ONE delta" else "ONE BY ONE (control)"}; A comes back since ${if (fenced) "B is fenced" else "the replicas are reordered (no broker fails)"}; ELR ${if (elr) "on" else "off"} =====")
      val w = new World(base, elr); import w._; import w.controller._
      say("three brokers; topic t-0 with replicas [B=0, A=1, C=2]")
      Seq(B, A, C).foreach(start); create(Topic, Seq(B, A, C), 2); Seq(B, A, C).foreach(catchUp(_))
      say("B's session times out: A leads; B comes back and joins the ISR")
      controller.fence(B); Seq(A, C, B).foreach(catchUp(_))
      produce(A, "r0"); fetch(C); fetch(C)
      controller.heartbeat(B); Seq(A, C, B).foreach(catchUp(_))
      fetch(B); fetch(B); passAlterPartition(A); fetch(B); fetch(C); Seq(A, C, B).foreach(catchUp(_))
      state()
      say("a producer sends r1 with acks=all to A; C fetches it (and fetches again: A learns C's end); B does not fetch yet")
      produce(A, "r1"); fetch(C); fetch(C)
      state()
      say("controller: preferred leader election; B and C publish it, A does not (its metadata lags)")
      balance(); catchUp(B); catchUp(C)
      fetch(C); fetch(C)
      state()
      if (!merged) { say("control: A publishes the election now"); catchUp(A); state() }
      if (fenced) { say("controller: B's session times out, the next in the ISR is A"); crash(B); controller.fence(B) }
      else { say("controller: an operator makes A the preferred leader; the next balancing elects A"); reassign(Topic, Seq(A, C, B)); balance(); catchUp(B) }
      say(if (merged) "A publishes all that it missed" else "A publishes the rest")
      catchUp(A, merged)
      state()
      if (!fenced) { say("B (which lacked r1) fetches from A; C's metadata or fetch is slow"); fetch(B); fetch(B); fetch(B); state() }
      println(s"    a consumer reads from A: ${consume(A)}")
      println(s"    acknowledged: ${acks.filter(_._2 == Errors.NONE).keys.mkString(" ")}; and C, member of the ISR, has ${alive(C).rm.localLogOrException(tp).logEndOffset} record(s)")
      say("A dies; controller fences it and elects C from the ISR (a clean election)")
      crash(A); controller.fence(A)
      catchUp(C); alive.get(B).foreach(_ => catchUp(B))
      state()
      say("all that died start again; A and B follow C; r2 is produced")
      start(A); if (fenced) start(B); Seq(A, B, C).foreach(catchUp(_))
      Seq(A, B).foreach { b => fetch(b); fetch(b); fetch(b); fetch(b) }; passAlterPartition(C)
      Seq(A, B).foreach(fetch); passAlterPartition(C); Seq(A, B, C).foreach(catchUp(_))
      produce(C, "r2"); Seq(A, B, A, B, A, B).foreach(fetch)
      state()
      val got = consume(C); println(s"    a consumer reads from C: $got")
      val lost = acks.filter(_._2 == Errors.NONE).keys.filterNot(k => got.contains(k))
      println(s"RESULT merged=$merged ${if (fenced) "B fenced" else "no broker fails before A"} elr=$elr: acknowledged and lost: ${if (lost.isEmpty) "nothing" else lost.mkString(" ")}")
      alive.keys.toSeq.foreach(crash)
    }
    def main(args: Array[String]): Unit = {
      val base = Files.createTempDirectory("kraft").toFile
      var n = 0
      for (elr <- Seq(false, true); fenced <- Seq(true, false); merged <- Seq(true, false)) { n += 1; 
        try run(new File(base, n.toString), merged, fenced, elr) catch { case e: Throwable => e.printStackTrace(); System.exit(1) } }
      org.apache.kafka.common.utils.Utils.delete(base)
      System.exit(0)
    }
  }
}
