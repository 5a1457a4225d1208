import { type Child, type ChildOptions, startChild } from '../agent/child.ts'
import type { Target } from './load.ts'
import type { WrittenTarget } from './wrk.ts'

export type { Target }

/** One row of the table before it is measured: a request, and the process that answers it. */
export interface Subject {
  readonly id: string
  readonly title: string
  readonly target: Target
  /** The same request for a generator that only sends what is written down. */
  readonly written?: WrittenTarget
  readonly server: Child
}

/** What a run has started; `stop` ends it all, last first. */
export class Servers {
  readonly #children: Child[] = []

  async start(options: ChildOptions): Promise<Child> {
    const child = await startChild(options)
    this.#children.push(child)
    return child
  }

  async stop(): Promise<void> {
    for (const child of this.#children.splice(0).reverse()) await child.end()
  }
}

/** A `tools/call` as JSON text. */
export function toolCall(name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
}

/** Sends a target's request once and returns the reply. Throws with it when it is no success. */
export async function askOnce({ url, headers, body, sign, succeeded }: Target): Promise<string> {
  const text = typeof body === 'string' ? body : body()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers, ...sign?.(text) },
    body: text,
  })
  const reply = await response.text()
  if (!response.ok || !succeeded(reply)) throw new Error(`${url} answered ${response.status}: ${reply.slice(0, 2000)}`)
  return reply
}
