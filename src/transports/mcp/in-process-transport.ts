import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo, Transport } from '@modelcontextprotocol/server'
import type { ReadNamed } from './completions.ts'
import type { VisibleTasks } from './tools.ts'

/** The revision that a request was classified into by the HTTP edge. */
export type Classification = NonNullable<MessageExtraInfo['classification']>

/** For requests whose answer names no task. */
export const NO_TASKS: VisibleTasks = { tasks: [], authenticated: false }

/** Who asks: the tasks that they may see, and how the names that a task lists are read for them where an answer needs that. */
export interface Asker extends VisibleTasks {
  readonly read?: ReadNamed
}

type Answer = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>

/**
 * Feeds one long-lived server object with the requests of many callers. Callers choose their JSON-RPC ids freely, so each
 * request travels under an id of our own; the handlers find what the caller may see by that id.
 */
export class InProcessTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly #waiting = new Map<unknown, { resolve: (answer: Answer) => void; asker: Asker }>()
  #nextId = 1

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Takes answers only: this server has nothing of its own to say, and JSON replies could not carry it. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('result' in message || 'error' in message)) return
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    waiting?.resolve(message)
  }

  /** Tasks that the caller of request `id` may see. */
  tasksOf(id: unknown): VisibleTasks {
    return this.#waiting.get(id)?.asker ?? NO_TASKS
  }

  /** Reads names for the caller of request `id`. */
  readOf(id: unknown): ReadNamed | undefined {
    return this.#waiting.get(id)?.asker.read
  }

  /** Runs one request of a caller, and gives its answer under the id that the caller chose. */
  async exchange(request: JSONRPCRequest, asker: Asker, classification?: Classification): Promise<Answer> {
    const id = this.#nextId++
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, { resolve, asker }))
    this.onmessage?.({ ...request, id }, classification && { classification })
    return { ...(await answer), id: request.id }
  }
}
