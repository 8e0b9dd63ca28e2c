package kafka.server

import com.fasterxml.jackson.databind.JsonNode

import scala.jdk.CollectionConverters._

/** A command that makes no sense in the state that it comes in. */
class CannotBeTaken(message: String) extends RuntimeException(message)

/** The arguments of a command. */
class Arguments(json: JsonNode) {
  def int(name: String): Int = Option(json.get(name)).filter(_.isInt)
    .getOrElse(throw new CannotBeTaken(s"the command lacks the number $name")).asInt
  def text(name: String): String = Option(json.get(name)).filter(_.isTextual)
    .getOrElse(throw new CannotBeTaken(s"the command lacks the text $name")).asText
  /** Pairs of a number and a text. */
  def pairs(name: String): Seq[(Int, String)] = Option(json.get(name)).toSeq.flatMap(_.elements.asScala
    .map(pair => (pair.get(0).asInt, pair.get(1).asText)))
  def optional(name: String): Option[Int] = Option(json.get(name)).filter(_.isInt).map(_.asInt)
  def list(name: String): Seq[Int] = Option(json.get(name)).toSeq.flatMap(_.elements.asScala.map(_.asInt))
  def lists(name: String): Seq[Seq[Int]] = Option(json.get(name)).toSeq.flatMap(_.elements.asScala
    .map(_.elements.asScala.map(_.asInt).toSeq))
  def content: JsonNode = Option(json.get("content"))
    .getOrElse(throw new CannotBeTaken("the command lacks the content of a request"))
}
