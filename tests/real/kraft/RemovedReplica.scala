// A leader that does not notice that a replica was removed and added again, on the classes of Apache Kafka 4.1.1.
package kafka.server {
  import java.io.File
  import java.nio.file.Files
  import org.apache.kafka.common.protocol.Errors
  object RemovedReplica {
    import World._
    def run(base: File, merged: Boolean): Unit = {
      println(s"\n===== A publishes the removal of C and its return ${if (merged) "in ONE delta" else "ONE BY ONE (control)"} =====")
      val w = new World(base, false); import w._; import w.controller._
      say("two brokers; topic t-0 with replicas [A=1, C=2]")
      Seq(A, C).foreach(start); create(Topic, Seq(A, C), 1); Seq(A, C).foreach(catchUp(_))
      produce(A, "r0"); fetch(C); fetch(C)
      produce(A, "r1"); fetch(C); fetch(C)
      state()
      say("a request handler of A has recorded C's last fetch, and is held up before it looks whether C can join the ISR")
      val partition = alive(A).rm.getPartitionOrException(tp)
      val replica = partition.getReplica(C).get
      say("an operator reassigns to [A], then to [C]")
      reassign(Topic, Seq(A)); reassign(Topic, Seq(C))
      if (merged) catchUp(A, true) else catchUp(A)
      state()
      say("the request handler goes on")
      val m = classOf[kafka.cluster.Partition].getDeclaredMethods.filter(x => x.getName.contains("maybeExpandIsr") && x.getParameterCount == 1 && x.getParameterTypes.head.getSimpleName == "Replica").head
      m.setAccessible(true); m.invoke(partition, replica)
      println(s"    A asks for ${alive(A).alters.size} change(s) of the ISR")
      say("C publishes the removal, then its return: its log is deleted, and made anew")
      catchUp(C)
      state()
      try passAlterPartition(A) catch { case e: org.apache.kafka.common.errors.NewLeaderElectedException => println(s"    A is answered NEW_LEADER_ELECTED") }

      Seq(C, A).foreach(catchUp(_))
      alive.toSeq.foreach { case (id, b) => println(s"    ${names(id)}: " + (try b.show catch { case e: Throwable => e.getClass.getSimpleName })) }
      val leader = controller.partition.leader
      val got = if (leader >= 0) consume(leader) else ""
      println(s"    leader is ${names.getOrElse(leader, "none")}, isr ${controller.partition.isr.mkString("[", ", ", "]")}; a consumer reads $got")
      val lost = acks.filter(_._2 == Errors.NONE).keys.filterNot(k => got.contains(k))
      println(s"RESULT merged=$merged: acknowledged and lost: ${if (lost.isEmpty) "nothing" else lost.mkString(" ")}")
      alive.keys.toSeq.foreach(crash)
    }
    def main(args: Array[String]): Unit = {
      val base = Files.createTempDirectory("kraft").toFile
      var n = 0
      for (merged <- Seq(true, false)) { n += 1; try run(new File(base, n.toString), merged) catch { case e: Throwable => e.printStackTrace(System.out) } }
      System.exit(0)
    }
  }
}
