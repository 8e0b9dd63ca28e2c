package kafka.server

import java.nio.ByteBuffer
import java.util
import java.util.Optional

import org.apache.kafka.clients.{ClientResponse, FetchSessionHandler}
import org.apache.kafka.common.{TopicIdPartition, TopicPartition}
import org.apache.kafka.common.message.{FetchResponseData, ListOffsetsResponseData}
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.record.{BaseRecords, FileRecords, MemoryRecords, Records}
import org.apache.kafka.common.requests.{AbstractRequest, FetchMetadata, FetchRequest, FetchResponse, ListOffsetsRequest, ListOffsetsResponse, RequestHeader}
import org.apache.kafka.common.utils.{LogContext, Time}
import org.apache.kafka.server.ReplicaFetch
import org.apache.kafka.server.network.BrokerEndPoint
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams}
import org.apache.kafka.storage.internals.log.UnifiedLog

import scala.collection.Map
import scala.jdk.CollectionConverters._

/** Makes fetcher threads that run no loop; a thread without partitions stays, as if it had another one. */
class SteppedFetcherManager(broker: KraftBroker, manager: ReplicaManager, metrics: Metrics, time: Time,
    quota: ReplicationQuotaManager) extends ReplicaFetcherManager(broker.config, manager, metrics, time, None, quota,
  () => broker.cache.metadataVersion(), () => broker.epoch) {

  override def createFetcherThread(fetcher: Int, source: BrokerEndPoint): ReplicaFetcherThread = {
    val sessions = new FetchSessionHandler(new LogContext, source.id)
    val leader = new KeptAnswers(new LeaderAtOnce(broker.cluster, source), sessions, broker, manager, quota)
    new SteppedFetcher(s"fetcher-$fetcher-${source.id}", leader, broker.config, failedPartitions, manager, quota)
  }

  override def shutdownIdleFetcherThreads(): Unit = ()

  def stepped(leader: Int): SteppedFetcher = all.find(_.leader.brokerEndPoint.id == leader)
    .getOrElse(throw new CannotBeTaken(s"broker ${broker.id} has no thread for broker $leader"))
  def all: Iterable[SteppedFetcher] = fetcherThreadMap.values.map(_.asInstanceOf[SteppedFetcher])
}

/** A fetcher thread whose question, answer and use of it can be three steps, and a cut another one. */
class SteppedFetcher(name: String, endPoint: KeptAnswers, config: KafkaConfig, failed: FailedPartitions,
    manager: ReplicaManager, quota: ReplicationQuotaManager)
  extends ReplicaFetcherThread(name, endPoint, config, failed, manager, quota, "") {
  private var asked: Option[ReplicaFetch] = None
  private var holdsCuts = false
  private var cut: Option[Map[TopicPartition, EpochEndOffset]] = None
  private var hasCut = false

  override def start(): Unit = ()

  /** Fetches once; and once more if the answer said to cut where there is nothing. Tells how often it was. */
  def fetchRecords(): Int = {
    val end = manager.localLogOrException(endPoint.partition).logEndOffset
    hasCut = false
    endPoint.hasLatest = true
    try doWork() finally endPoint.hasLatest = false
    if (hasCut && manager.localLogOrException(endPoint.partition).logEndOffset == end) 1 + fetchRecords() else 1
  }

  /** The leader answers, and the answer is kept. An answer that says to cut where there is nothing is used at once. */
  def ask(): Int = {
    askOnce()
    if (endPoint.keepsEmptyCut(manager.localLogOrException(endPoint.partition))) {
      use()
      cutLog()
      1 + ask()
    } else 1
  }

  private def askOnce(): Unit = {
    KraftPrivate.call(classOf[AbstractFetcherThread], "maybeTruncate", this)
    partitionMapLock.lock()
    try {
      val states = KraftPrivate.get[PartitionStatesOf](classOf[AbstractFetcherThread], "partitionStates", this)
      asked = Some(endPoint.buildFetch(states.partitionStateMap).result.orElseThrow(() =>
        new CannotBeTaken(s"$name fetches nothing")))
    } finally partitionMapLock.unlock()
    endPoint.keep(asked.get.fetchRequest)
  }

  /** The kept answer is used; where it says to cut, that is noted. */
  def use(): Unit = {
    val question = asked.getOrElse(throw new CannotBeTaken(s"$name waits for no answer"))
    asked = None
    holdsCuts = true
    try processFetchRequest(question.partitionData, question.fetchRequest) finally holdsCuts = false
  }

  def cutLog(): Unit = {
    val ends = cut.getOrElse(throw new CannotBeTaken(s"$name has nothing to cut"))
    cut = None
    truncateOnFetchResponse(ends)
  }

  override protected[server] def truncateOnFetchResponse(ends: Map[TopicPartition, EpochEndOffset]): Unit =
    if (holdsCuts) cut = Some(ends)
    else {
      hasCut = true
      super.truncateOnFetchResponse(ends)
    }

  private type PartitionStatesOf = org.apache.kafka.common.internals.PartitionStates[org.apache.kafka.server.PartitionFetchState]
}

/** Kafka's own end of a connection, which can keep an answer, or give it the high watermark of its end. */
class KeptAnswers(sender: BlockingSend, sessions: FetchSessionHandler, broker: KraftBroker, manager: ReplicaManager,
    quota: ReplicationQuotaManager) extends RemoteLeaderEndPoint("", sender, sessions, broker.config, manager, quota,
  () => broker.cache.metadataVersion(), () => broker.epoch) {
  private var kept: Option[util.Map[TopicPartition, FetchResponseData.PartitionData]] = None
  /** Whether answers have the high watermark of after the fetch, as those have that waited. */
  var hasLatest = false

  def partition: TopicPartition = broker.cluster.partition
  def keep(request: FetchRequest.Builder): Unit = kept = Some(super.fetch(request))

  /** Whether the kept answer has an epoch that diverges, whose end is not below that of the log. */
  def keepsEmptyCut(log: UnifiedLog): Boolean = kept.flatMap(answers => Option(answers.get(partition)))
    .exists(data => FetchResponse.isDivergingEpoch(data) && {
      val own = log.endOffsetForEpoch(data.divergingEpoch.epoch)
      data.divergingEpoch.endOffset >= log.logEndOffset && own.isPresent && own.get.offset >= log.logEndOffset
    })

  /** A fetch that is one step; a kept answer, whose question came from a thread that ended, is left to its use. */
  override def fetch(request: FetchRequest.Builder): util.Map[TopicPartition, FetchResponseData.PartitionData] =
    if (hasLatest) latest(super.fetch(request)) else {
      val answer = kept.getOrElse(throw new CannotBeTaken("no answer is kept"))
      kept = None
      answer
    }

  private def latest(answer: util.Map[TopicPartition, FetchResponseData.PartitionData]) = {
    Option(answer.get(partition)).filter(_.errorCode == 0).foreach { data =>
      data.setHighWatermark(broker.cluster.process(brokerEndPoint().id).partition.localLogOrException.highWatermark)
    }
    answer
  }
}

/** The network: what `KafkaApis` does for a follower without a session, and at once. */
class LeaderAtOnce(cluster: KraftBrokers, source: BrokerEndPoint) extends BlockingSend {
  def brokerEndPoint(): BrokerEndPoint = source
  def initiateClose(): Unit = ()
  def close(): Unit = ()

  def sendRequest(builder: AbstractRequest.Builder[_ <: AbstractRequest]): ClientResponse = {
    val request = builder.build()
    val response = request match {
      case fetch: FetchRequest => fetched(fetch)
      case offsets: ListOffsetsRequest => listed(offsets)
    }
    new ClientResponse(new RequestHeader(request.apiKey, request.version, "", 0), null, source.id.toString, 0, 0, false,
      null, null, response)
  }

  private def leader: KraftBroker = cluster.process(source.id)

  private def fetched(request: FetchRequest): FetchResponse = {
    val answers = new util.LinkedHashMap[TopicIdPartition, FetchResponseData.PartitionData]
    val from = new FetchParams(request.replicaId, request.replicaEpoch, request.maxWait, request.minBytes,
      request.maxBytes, FetchIsolation.of(request), Optional.empty())
    // Whether the follower can join the ISR is looked at in another step.
    leader.cache.hidesBrokers = true
    try leader.manager.fetchMessages(from, request.fetchData(cluster.quorum.topicNames).asScala.toSeq, leader.quotas.leader,
      found => found.foreach { case (partition, data) => answers.put(partition, LeaderAtOnce.told(partition, data)) })
    finally leader.cache.hidesBrokers = false
    FetchResponse.of(Errors.NONE, 0, FetchMetadata.INVALID_SESSION_ID, answers, util.List.of())
  }

  /** A follower whose offset is out of range asks where the log begins and ends. */
  private def listed(request: ListOffsetsRequest): ListOffsetsResponse = {
    val found = new ListOffsetsResponseData
    leader.manager.fetchOffset(request.topics.asScala.toSeq, Set(), request.isolationLevel, request.replicaId, "", 0,
      request.version, (error, asked) => new ListOffsetsPartitionResponse().setPartitionIndex(asked.partitionIndex)
        .setErrorCode(error.code), topics => found.setTopics(new util.ArrayList(topics)))
    new ListOffsetsResponse(found)
  }
}

object LeaderAtOnce {
  private def told(partition: TopicIdPartition, data: org.apache.kafka.server.storage.log.FetchPartitionData) = {
    val answer = new FetchResponseData.PartitionData().setPartitionIndex(partition.partition)
      .setErrorCode(data.error.code).setHighWatermark(data.highWatermark)
      .setLastStableOffset(data.lastStableOffset.orElse(-1)).setLogStartOffset(data.logStartOffset)
      .setRecords(copied(data.records))
    data.divergingEpoch.ifPresent(epoch => answer.setDivergingEpoch(epoch))
    answer
  }

  private def copied(records: BaseRecords): Records = records match {
    case file: FileRecords =>
      val bytes = ByteBuffer.allocate(file.sizeInBytes)
      file.readInto(bytes, 0)
      MemoryRecords.readableRecords(bytes)
    case memory: MemoryRecords => memory
  }
}

/** Members of Kafka's classes that are theirs alone. */
object KraftPrivate {
  def get[T](owner: Class[_], name: String, target: AnyRef): T = {
    val field = owner.getDeclaredFields.find(f => f.getName == name || f.getName.endsWith("$$" + name)).get
    field.setAccessible(true)
    field.get(target).asInstanceOf[T]
  }

  def call(owner: Class[_], name: String, target: AnyRef): Unit = {
    val method = owner.getDeclaredMethods.find(m =>
      (m.getName == name || m.getName.endsWith("$$" + name)) && m.getParameterCount == 0).get
    method.setAccessible(true)
    try method.invoke(target) catch { case e: java.lang.reflect.InvocationTargetException => throw e.getCause }
  }
}
