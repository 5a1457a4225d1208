import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Backlog } from '../../store/backlog.ts'
import type { PoolUse } from '../../store/database.ts'

/** What a scrape asks of the store. */
export interface StoreNumbers {
  /** Its pending work; rejects when it does not answer. */
  backlog(): Promise<Backlog>
  pools(): readonly PoolUse[]
}

/** A store that is unreachable must not take a scrape with it: scrapers give up after ten seconds. */
const PATIENCE_MS = 2_000

const WAITING: readonly (readonly [key: keyof Backlog, name: string, help: string])[] = [
  ['outboxPending', 'adcp_outbox_pending', 'Webhooks pending delivery'],
  ['outboxDead', 'adcp_outbox_dead', 'Webhooks given up, stored for redelivery'],
  ['outboxOldestSeconds', 'adcp_outbox_oldest_seconds', 'Age of the oldest pending webhook'],
  ['approvalsWaiting', 'adcp_approvals_waiting', 'Orders, changes, creatives and accounts that need approval by a person'],
  ['auditUnsealed', 'adcp_audit_unsealed', 'Audit entries that no chain holds yet'],
  ['crawlDue', 'adcp_crawl_due', 'Publishers whose refresh is due'],
  ['crawlOverdueSeconds', 'adcp_crawl_overdue_seconds', 'How long the most overdue refresh has been due'],
]

/**
 * Gauges that query the store when they are read; all of one scrape share one query. While the store is unreachable `adcp_store_up` is 0 and what
 * is pending in it has no value.
 */
export function gaugeStore(registry: Registry, store: StoreNumbers): void {
  let current: Promise<Backlog | undefined> | undefined
  const look = (): Promise<Backlog | undefined> => {
    current ??= inTime(store.backlog())
      .catch(() => undefined)
      .finally(() => {
        current = undefined
      })
    return current
  }
  new Gauge({
    name: 'adcp_store_up',
    help: 'Whether the store answered this scrape',
    registers: [registry],
    aggregator: 'min',
    async collect() {
      this.set((await look()) === undefined ? 0 : 1)
    },
  })
  for (const [key, name, help] of WAITING) {
    new Gauge({
      name,
      help,
      registers: [registry],
      // Every worker on a store sees the same backlog.
      aggregator: 'max',
      async collect() {
        const backlog = await look()
        if (backlog === undefined) this.remove()
        else this.set(backlog[key])
      },
    })
  }
  gaugePools(registry, store)
}

function gaugePools(registry: Registry, { pools }: StoreNumbers): void {
  const registers = [registry]
  new Gauge({
    name: 'adcp_store_connections',
    help: 'Connections to PostgreSQL by pool and state',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { pool, busy, idle } of pools()) {
        this.set({ pool, state: 'busy' }, busy)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'adcp_store_connections_limit',
    help: 'Connections to PostgreSQL that there may be, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { pool, limit } of pools()) this.set({ pool }, limit)
    },
  })
  new Gauge({
    name: 'adcp_store_waiting',
    help: 'Calls queued for a connection to PostgreSQL, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { pool, waiting } of pools()) this.set({ pool }, waiting)
    },
  })
}

async function inTime<T>(asked: Promise<T>): Promise<T> {
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${PATIENCE_MS} ms`)
  })
  return Promise.race([asked, late])
}
