import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasKeptTheLoop, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'

/** Requests that a client may send before it has read the answers to earlier ones; the few clients that do it at all send some ten. */
const MAX_WAITING = 100

/**
 * Answers the requests of a connection one after the other, however many were sent at once (pipelining, RFC 9112 §9.3.2): answered together,
 * replies would pile up in memory for a client that reads none of them. Drops a connection with more than a hundred that wait.
 */
export function answerInOrder(answer: (request: IncomingMessage, response: ServerResponse) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  const later = oneAtATime()
  return (request, response) => {
    // Node gives a reply its socket once the one before it has left.
    if (response.socket !== null) {
      // Requests of many connections come in one turn too: each goes on in one that has time for it.
      if (hasKeptTheLoop()) void yieldToEventLoop().then(() => request.socket.destroyed || answer(request, response))
      else answer(request, response)
      return
    }
    const { socket } = request
    const before = waiting.get(socket) ?? 0
    if (before === MAX_WAITING) {
      socket.destroy()
      return
    }
    waiting.set(socket, before + 1)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      later(() => {
        if (!socket.destroyed) answer(request, response)
      })
    })
  }
}

/**
 * Runs one piece of work a turn of the event loop, in order. Node accepts one new connection a turn, so turns have to stay short: what was
 * sent ahead waits for what others ask now.
 */
function oneAtATime(): (work: () => void) => void {
  const queue = new Set<() => void>()
  const run = () => {
    for (const work of queue) {
      queue.delete(work)
      if (queue.size > 0) setImmediate(run)
      work()
      return
    }
  }
  return (work) => {
    queue.add(work)
    if (queue.size === 1) setImmediate(run)
  }
}
