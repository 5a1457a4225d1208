import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDeliver, type Deliver } from '../../../src/features/webhooks/deliver.ts'
import { type Dispatcher, type DispatcherOptions, startDispatcher } from '../../../src/features/webhooks/dispatcher.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createSafePost, type SafePostOptions } from '../../../src/platform/net/safe-post.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import type { KeyProvider } from '../../../src/security/signing/key-provider.ts'
import { ensureSigningKey, storedKeys } from '../../../src/security/signing/stored-keys.ts'
import type { Store } from '../../../src/store/database.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { enqueue, findDelivery, listDeliveries } from '../../../src/store/webhook/outbox.ts'
import { insertEndpoint, sealPlace, type WebhookEndpoint } from '../../../src/store/webhook/webhook-endpoints.ts'

export const TENANT = 'acme'
const box = createSecretBox('a secret of the test, long enough for it', 'webhook-credentials')
const contracts = loadContracts()

/** A store with an outbox, a clock in the test's hand, and dispatchers that send over loopback. */
export interface Outbound {
  readonly store: Store
  readonly keys: KeyProvider
  readonly log: string[]
  now(): Date
  pass(ms: number): void
  /** Registers an endpoint at an address. */
  endpoint(
    url: string,
    more?: Partial<Pick<WebhookEndpoint, 'principalId' | 'scheme' | 'credentials' | 'token' | 'loopback'>>,
  ): Promise<WebhookEndpoint>
  /** Writes a webhook; returns its delivery id. */
  put(endpoint: WebhookEndpoint, message?: string, ordering?: string): Promise<string>
  dispatcher(options?: Partial<DispatcherOptions> & { readonly post?: Partial<SafePostOptions> }): Dispatcher
  delivery(id: string): ReturnType<typeof findDelivery>
  states(): Promise<Record<string, number>>
  close(): Promise<void>
}

export async function startOutbound(): Promise<Outbound> {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-outbox-'))
  const store = await openSqlite(join(folder, 'store.sqlite'))
  let now = new Date('2026-03-01T12:00:00Z')
  const clock = () => now
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => lines.push(line) })
  await store.transaction((tx) => ensureSigningKey(tx, box, 'webhook-signing', now))
  const keys = storedKeys(store, box, clock)
  const dispatchers: Dispatcher[] = []
  return {
    store,
    keys,
    log: lines,
    now: clock,
    pass(ms) {
      now = new Date(now.getTime() + ms)
    },
    async endpoint(url, { principalId = 'buyer', scheme, credentials, token, loopback = true } = {}) {
      const endpointId = `whe_${randomUUID()}`
      const seal = (secret: string | undefined, field: 'credentials' | 'token') =>
        secret === undefined ? undefined : box.seal(secret, sealPlace(endpointId, field))
      const endpoint: WebhookEndpoint = {
        tenantId: TENANT,
        principalId,
        endpointId,
        kind: 'push',
        taskId: `task_${randomUUID()}`,
        taskType: 'create_media_buy',
        mediaBuyId: undefined,
        url,
        query: undefined,
        loopback,
        scheme,
        credentials: seal(credentials, 'credentials'),
        token: seal(token, 'token'),
        settings: { operationId: 'op-1' },
      }
      await store.transaction((tx) => insertEndpoint(tx, endpoint, now))
      return endpoint
    },
    put: (endpoint, message, ordering) =>
      store.transaction((tx) => {
        const { taskId, taskType } = endpoint
        return enqueue(tx, endpoint, { taskId, taskType, status: 'completed', message, at: now }, now, ordering)
      }),
    dispatcher({ post, ...options } = {}) {
      const deliver: Deliver =
        options.deliver ??
        createDeliver({ post: createSafePost({ userAgent: 'test', ...post }), keys, box, contracts, clock, sandbox: true })
      const dispatcher = startDispatcher({
        store,
        clock,
        log,
        horizonMs: 72 * 3_600_000,
        random: () => 0.5,
        ...options,
        deliver,
        // The tests say when it is time to look.
        limits: { pollMs: 3_600_000, ...options.limits },
      })
      dispatchers.push(dispatcher)
      return dispatcher
    },
    delivery: (id) => findDelivery(store.read, TENANT, id),
    async states() {
      const states: Record<string, number> = {}
      for (const { state } of await listDeliveries(store.read, TENANT, { limit: 10_000 }))
        states[state] = (states[state] ?? 0) + 1
      return states
    },
    async close() {
      for (const dispatcher of dispatchers) await dispatcher.stop()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
