package kafka.server

import java.lang.reflect.{Field, InvocationHandler, InvocationTargetException, Method, Proxy}
import java.util.concurrent.{ScheduledFuture, Semaphore, TimeUnit}
import java.util.concurrent.locks.Condition

import kafka.utils.Scheduler

import scala.collection.mutable

/** Private members of Kafka's classes. scalac may put a prefix that ends in "$$" before a name. */
object Private {
  private val fields = mutable.Map[(Class[_], String), Field]()
  private val methods = mutable.Map[(Class[_], String, Int), Method]()

  def get[T](owner: Class[_], name: String, target: AnyRef): T =
    field(owner, name).get(target).asInstanceOf[T]

  def set(owner: Class[_], name: String, target: AnyRef, value: Any): Unit =
    field(owner, name).set(target, value)

  /** Calls a method, and throws what it throws. */
  def call[T](owner: Class[_], name: String, target: AnyRef, arguments: AnyRef*): T =
    try method(owner, name, arguments.size).invoke(target, arguments: _*).asInstanceOf[T]
    catch { case e: InvocationTargetException => throw e.getCause }

  private def field(owner: Class[_], name: String): Field =
    fields.getOrElseUpdate((owner, name), {
      val found = owner.getDeclaredFields.find(f => isNamed(f.getName, name))
        .getOrElse(throw new NoSuchFieldException(s"${owner.getName}.$name"))
      found.setAccessible(true)
      found
    })

  private def method(owner: Class[_], name: String, count: Int): Method =
    methods.getOrElseUpdate((owner, name, count), {
      val found = owner.getDeclaredMethods
        .find(m => isNamed(m.getName, name) && m.getParameterCount == count)
        .getOrElse(throw new NoSuchMethodException(s"${owner.getName}.$name"))
      found.setAccessible(true)
      found
    })

  private def isNamed(found: String, name: String): Boolean =
    found == name || found.endsWith("$$" + name)
}

/** Where a call into Kafka can be held up: the name is that of the model's `Becoming`. */
object Pause extends Enumeration {
  val NONE, LEADER, FOLLOWER, FETCHED, MOVER, RESIZED, READ, WRITE = Value
}

class Killed extends RuntimeException("the process has ended")
class Aborted extends RuntimeException("another partition's error ended the request")

/**
 * A call into Kafka that stops at a pause until it is resumed. It runs on a thread of its own, in strict turns
 * with the caller: of the two threads exactly one runs.
 */
class PausableCall(first: Pause.Value, body: () => Unit) {
  private val turn = new Semaphore(0)
  private val back = new Semaphore(0)
  @volatile private var next = first
  @volatile private var paused = Pause.NONE
  @volatile private var isDone = false
  @volatile private var thrown: Option[Throwable] = None
  @volatile private var fatal: Option[Throwable] = None

  private val thread = new Thread(() => run(), "paused call")
  thread.setDaemon(true)
  thread.start()

  private def run(): Unit = {
    turn.acquire()
    PausableCall.running.set(this)
    try if (fatal.isEmpty) body()
    catch { case e: Throwable => thrown = Some(e) }
    finally { isDone = true; paused = Pause.NONE; back.release() }
  }

  def isOver: Boolean = isDone
  def pausedAt: Pause.Value = paused
  def awaits(pause: Pause.Value): Boolean = next == pause

  /** Goes on up to the next pause or the end. Throws what the call threw, but for the end that it was given. */
  def resume(): Unit = {
    turn.release()
    back.acquire()
    if (isDone) thrown.filterNot(e => fatal.contains(e)).foreach(e => throw e)
  }

  /** The same, with another pause at which it stops next. */
  def resumeUntil(pause: Pause.Value): Unit = {
    next = pause
    resume()
  }

  /** Has the call end where it is, with an error. */
  def end(error: Throwable): Unit = { fatal = Some(error); resume() }

  /** Holds the call up. `then` is the one pause at which it stops next. */
  def pause(at: Pause.Value, then: Pause.Value): Unit = {
    paused = at
    next = then
    back.release()
    turn.acquire()
    fatal.foreach(e => throw e)
    paused = Pause.NONE
  }
}

object PausableCall {
  private[server] val running = new ThreadLocal[PausableCall]
  def current: Option[PausableCall] = Option(running.get)

  /** Holds up the current call, if there is one and it is to stop here. */
  def stopAt(at: Pause.Value, then: Pause.Value): Unit =
    current.filter(_.awaits(at)).foreach(_.pause(at, then))
}

/** Objects of an interface that do nothing, whatever is asked of them. */
object Inert {
  def apply[T](kind: Class[T]): T = Proxy.newProxyInstance(kind.getClassLoader match {
    case null => getClass.getClassLoader
    case loader => loader
  }, Array(kind), new InvocationHandler {
    def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef =
      if (method.getReturnType == classOf[Boolean]) java.lang.Boolean.FALSE else null
  }).asInstanceOf[T]

  val condition: Condition = Inert(classOf[Condition])
  val future: ScheduledFuture[AnyRef] = Inert(classOf[ScheduledFuture[AnyRef]])
}

/** Nothing happens by itself. A call of `schedule` returns a future, since `Log.close` cancels one. */
object NoScheduler extends Scheduler {
  def startup(): Unit = ()
  def shutdown(): Unit = ()
  def isStarted: Boolean = true
  def schedule(name: String, body: () => Unit, delay: Long, period: Long, unit: TimeUnit): ScheduledFuture[_] =
    Inert.future
}
