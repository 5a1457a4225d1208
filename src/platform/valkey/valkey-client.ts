import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ValkeySettings } from '../../config/ads-settings.ts'

/** What is used of a client; the same for one server and for a cluster. */
export interface ValkeyClient {
  evalsha(sha: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
  del(key: string): Promise<unknown>
  info(section: string): Promise<unknown>
  config(word: 'GET', name: string): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Waits for answers that are under way. */
  quit(): Promise<unknown>
  disconnect(): void
}

interface ValkeyLibrary {
  readonly Redis: new (options: object) => ValkeyClient
  readonly Cluster: new (nodes: readonly object[], options: object) => ValkeyClient
}

/** The client of Valkey is not installed: it is an optional peer of this program. */
export class ValkeyMissing extends Error {
  constructor(cause: unknown) {
    super('ads.counters is valkey, which needs a client that is not installed: npm install iovalkey@0.4', { cause })
    this.name = 'ValkeyMissing'
  }
}

/** Not named where it is imported: the program is built, and its types are checked, where it is not installed too. */
const CLIENT: string = 'iovalkey'
const CONNECT_MS = 3_000
/** How long the server may take for an answer: a decision waits for it. */
const ANSWER_MS = 500
const MOST_PAUSE_MS = 1_000
const LOOK_MS = 50

/** Throws ValkeyMissing where the client is not installed. */
export async function loadValkey(): Promise<ValkeyLibrary> {
  try {
    const library: unknown = await import(CLIENT)
    if (isLibrary(library)) return library
  } catch (error) {
    throw new ValkeyMissing(error)
  }
  throw new ValkeyMissing(`${CLIENT} has no Redis and no Cluster`)
}

/** A client that connects, and connects again, by itself. What cannot be answered at once is refused: nothing waits, nothing is sent twice. Throws when the file of the authority cannot be read. */
export async function connectValkey({ servers, cluster, tls, ca, user, password }: ValkeySettings): Promise<ValkeyClient> {
  const { Redis, Cluster } = await loadValkey()
  const nodes = servers.map(addressOf)
  const pause = (times: number) => Math.min(times * 50, MOST_PAUSE_MS)
  const ofServer = {
    ...{ connectTimeout: CONNECT_MS, commandTimeout: ANSWER_MS, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false },
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: ca === undefined ? {} : { ca: readFileSync(ca) } }),
  }
  // In a cluster the client takes the name of a script for the key that says which node is asked.
  const shared = { enableAutoPipelining: !cluster, enableOfflineQueue: false }
  const client = cluster
    ? new Cluster(nodes, { ...shared, redisOptions: ofServer, clusterRetryStrategy: pause, slotsRefreshTimeout: CONNECT_MS })
    : new Redis({ ...shared, ...ofServer, ...nodes[0], retryStrategy: pause })
  // Whoever asks learns of it; a listener has to be there all the same.
  client.on('error', () => {})
  return client
}

/** The first answer of a client, which refuses what it is asked before it is connected. Rejects with the reason when there is none in three seconds. */
export async function whenConnected<T>(client: ValkeyClient, ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + CONNECT_MS
  let reason: Error | undefined
  client.on('error', (error) => {
    reason = error
  })
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (performance.now() > until) throw reason ?? error
      await sleep(LOOK_MS)
    }
  }
}

/** Closes a client, whatever state it is in. */
export async function closeValkey(client: ValkeyClient): Promise<void> {
  await client.quit().catch(() => {})
  client.disconnect()
}

function isLibrary(library: unknown): library is ValkeyLibrary {
  if (typeof library !== 'object' || library === null) return false
  return (
    'Redis' in library && typeof library.Redis === 'function' && 'Cluster' in library && typeof library.Cluster === 'function'
  )
}

/** `host:port`, the host of IPv6 in brackets. */
function addressOf(server: string): { readonly host: string; readonly port: number } {
  const colon = server.lastIndexOf(':')
  const host = server.slice(0, colon)
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(server.slice(colon + 1)) }
}
