import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { GAM_SCRIPTS, type GamEmulator } from './gam-emulator.ts'

/** A person at an emulated network, who works with Google's own client for Python. */
export interface GamPerson {
  /** Members that the client can change, each with another value than ours. */
  fields(collection: 'orders' | 'lineItems'): Promise<Readonly<Record<string, unknown>>>
  /** Does something there; why the network or the client refuses it, else undefined. See test/clients/gam/person.py. */
  act(order: object): Promise<string | undefined>
  close(): Promise<void>
}

export function startGamPerson({ python, plain }: GamEmulator): GamPerson {
  const args = [`${GAM_SCRIPTS}/person.py`, plain.slice('http://'.length), '4711']
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (order: object) => {
    child.stdin.write(`${JSON.stringify(order)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('the person is gone')
    return JSON.parse(value)
  }
  return {
    fields: async (collection) => (await ask({ fields: collection })).done,
    act: async (order) => (await ask(order)).refused,
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
