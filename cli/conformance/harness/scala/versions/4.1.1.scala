package kafka.server

/** What is Kafka 4.1.1's own. */
object KafkaVersion {
  val name = "4.1.1"
}
