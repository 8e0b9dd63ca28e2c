package kafka.server

import java.io.File

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import kafka.log.Log
import kafka.zk.TopicPartitionStateZNode
import org.apache.kafka.common.TopicPartition

import scala.jdk.CollectionConverters._

/** The whole state of a cluster as JSON: whatever the model could be compared with. */
class Observation(json: ObjectMapper, cluster: BrokerCluster) {
  def state: ObjectNode = {
    val state = json.createObjectNode
    val nodes = state.putArray("nodes")
    cluster.partitions.foreach(partition => node(nodes.addObject, partition))
    val brokers = state.putArray("brokers")
    for (id <- cluster.ids) {
      val told = brokers.addObject.put("running", cluster.broker(id).isDefined)
      told.put("marker", cluster.isMarked(id))
      cluster.broker(id).foreach(process => broker(told, process))
    }
    val acknowledged = state.putArray("acknowledged")
    for ((partition, id) <- cluster.acknowledged) acknowledged.addArray.add(partition).add(id)
    val consumed = state.putArray("consumed")
    cluster.consumed.foreach(consumed.add(_))
    state
  }

  private def node(told: ObjectNode, partition: TopicPartition): Unit = {
    val (data, stat) = cluster.zooKeeper.getDataAndStat(TopicPartitionStateZNode.path(partition))
    for (stored <- data.flatMap(TopicPartitionStateZNode.decode(_, stat))) {
      told.put("leader", stored.leaderAndIsr.leader).put("epoch", stored.leaderAndIsr.leaderEpoch)
        .put("version", stat.getVersion)
      val isr = told.putArray("isr")
      stored.leaderAndIsr.isr.sorted.foreach(isr.add(_))
    }
  }

  private def broker(told: ObjectNode, process: BrokerProcess): Unit = {
    process.handler match {
      case Some(call) => told.put("handler", call.pausedAt.toString)
      case None => told.putNull("handler")
    }
    told.put("stalled", process.stalledFetch.isDefined)
    told.put("fetchers", Private.get[Int](classOf[AbstractFetcherManager[_]], "numFetchersPerBroker",
      process.replicaManager.replicaFetcherManager))
    val partitions = told.putArray("partitions")
    cluster.partitions.foreach(partition => replica(partitions.addObject, process, partition))
    val threads = told.putArray("threads")
    for ((leader, fetcher, stepped) <- process.threads)
      thread(threads.addObject.put("leader", leader).put("fetcher", fetcher), stepped)
  }

  private def replica(told: ObjectNode, process: BrokerProcess, partition: TopicPartition): Unit = {
    val manager = process.replicaManager
    manager.getPartition(partition) match {
      case HostedPartition.Online(hosted) =>
        told.put("hosting", "ONLINE").put("epoch", hosted.getLeaderEpoch).put("leads", hosted.isLeader)
          .put("version", Private.get[Int](classOf[kafka.cluster.Partition], "zkVersion", hosted))
        hosted.leaderReplicaIdOpt match {
          case Some(leader) => told.put("leader", leader)
          case None => told.putNull("leader")
        }
        val isr = told.putArray("isr")
        hosted.inSyncReplicaIds.toSeq.sorted.foreach(isr.add(_))
        Private.get[Option[Long]](classOf[kafka.cluster.Partition], "leaderEpochStartOffsetOpt", hosted)
          .foreach(told.put("epoch_start", _))
        val remotes = told.putObject("remotes")
        hosted.remoteReplicas.toSeq.sortBy(_.brokerId).foreach(r => remotes.put(r.brokerId.toString, r.logEndOffset))
      case hosted => told.put("hosting", if (hosted == HostedPartition.None) "NONE" else "OFFLINE")
    }
    process.logManager.getLog(partition).foreach(found => log(told.putObject("log"), found))
    process.logManager.getLog(partition, isFuture = true).foreach(found => log(told.putObject("future"), found))
    told.put("failed", manager.replicaFetcherManager.failedPartitions.contains(partition))
    told.put("failed_move", manager.replicaAlterLogDirsManager.failedPartitions.contains(partition))
    val checkpoints = told.putObject("checkpoints")
    for (number <- 0 until cluster.size.directories; directory = cluster.directory(process.id, number)) {
      val file = manager.highWatermarkCheckpoints.get(directory.getAbsolutePath).filter(_ => directory.isDirectory)
      checkpoints.put(number.toString, file.flatMap(_.read().get(partition)).getOrElse(0L))
    }
  }

  private def numberOf(directory: File): Int = directory.getName.replaceAll(".*-d", "").toInt

  private def log(told: ObjectNode, found: Log): Unit = {
    told.put("start", found.logStartOffset).put("end", found.logEndOffset).put("hw", found.highWatermark)
      .put("directory", numberOf(found.dir.getParentFile))
    if (found.dir.exists) {
      val records = told.putArray("records")
      for (segment <- found.logSegments; batch <- segment.log.batches.asScala; record <- batch.asScala
           if record.offset >= found.logStartOffset)
        records.addArray.add(record.offset).add(RecordBatches.id(record)).add(batch.partitionLeaderEpoch)
    }
    val epochs = told.putArray("epochs")
    for (cache <- found.leaderEpochCache; entry <- cache.epochEntries)
      epochs.addArray.add(entry.epoch).add(entry.startOffset)
  }

  private def thread(told: ObjectNode, stepped: SteppedThread): Unit = {
    told.put("phase", stepped.phase)
    val (states, order) = (told.putObject("states"), told.putArray("order"))
    for (entry <- stepped.states.partitionStateMap.entrySet.asScala) {
      order.add(entry.getKey.partition)
      val state = entry.getValue
      val cell = states.putObject(entry.getKey.partition.toString).put("state", state.state.toString)
        .put("offset", state.fetchOffset).put("epoch", state.currentLeaderEpoch).put("delayed", state.isDelayed)
      KafkaVersion.lastFetchedEpoch(state).foreach(cell.put("last_epoch", _))
    }
    val epochCalls = told.putObject("epoch_calls")
    for ((partition, question) <- stepped.withEpochs) {
      val call = epochCalls.putObject(partition.partition.toString)
        .put("current", KafkaVersion.currentEpoch(question)).put("epoch", KafkaVersion.askedEpoch(question))
      for (answer <- stepped.epochAnswers.flatMap(_.get(partition)))
        call.put("error", KafkaVersion.error(answer).name)
          .put("found_epoch", KafkaVersion.foundEpoch(answer)).put("found_end", KafkaVersion.foundEnd(answer))
    }
    val fetchCalls = told.putObject("fetch_calls")
    for (request <- stepped.fetch; (partition, asked) <- request.partitions
         if stepped.phase != "ON_FETCH_RESPONSE" || stepped.fetchAnswers.exists(_.contains(partition))) {
      val call = fetchCalls.putObject(partition.partition.toString)
        .put("current", asked.currentLeaderEpoch.get.intValue).put("offset", asked.fetchOffset)
      KafkaVersion.askedLastEpoch(asked).foreach(call.put("last_epoch", _))
      for (answer <- stepped.fetchAnswers.flatMap(_.get(partition))) {
        call.put("error", answer.error.name).put("hw", answer.highWatermark).put("start", answer.logStartOffset)
        val records = call.putArray("records")
        answer.records.records.asScala.foreach(record => records.add(RecordBatches.id(record)))
        call.put("corrupt", answer.records.batches.asScala.exists(batch => !batch.isValid))
        for ((epoch, end) <- KafkaVersion.diverging(answer)) call.putArray("diverging").add(epoch).add(end)
      }
    }
    val withoutEpoch = told.putArray("without_epoch")
    stepped.withoutEpochs.map(_.partition).toSeq.sorted.foreach(withoutEpoch.add(_))
  }
}
