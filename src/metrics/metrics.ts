import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Observation } from '../pipeline/observation.ts'
import type { Backlog } from '../store/backlog.ts'

/** The numbers of a running server (Prometheus text format). No label holds a tenant, a principal or anything that a caller chose. */
export interface Metrics {
  observe(observation: Observation): void
  /** Counts a refresh of a publisher by the crawler of this process, by its result. */
  refreshed(result: string): void
  /** Content type and body of a scrape; looks at the store for what is waiting. */
  scrape(): Promise<{ contentType: string; body: string }>
}

/** From a memory hit to a call that waits for its turn. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Errors that are about who calls, not about what is asked. */
const AUTH_CODES = new Set(['AUTH_REQUIRED', 'AUTH_MISSING', 'AUTH_INVALID', 'PERMISSION_DENIED', 'RATE_LIMITED'])

/** Starts collecting. `backlog` is asked at each scrape for what waits in the store. */
export function createMetrics(backlog: () => Promise<Backlog>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'adcp_' })
  const registers = [registry]
  const calls = new Counter({
    name: 'adcp_calls_total',
    help: 'Calls by task, transport and outcome (ok or the error code)',
    labelNames: ['task', 'transport', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'adcp_call_duration_seconds',
    help: 'Time from the call to its answer, without reading it from the network and writing it there',
    labelNames: ['task', 'transport'],
    buckets: SECONDS,
    registers,
  })
  const failures = new Counter({
    name: 'adcp_auth_failures_total',
    help: 'Calls refused for who called, by error code',
    labelNames: ['reason'],
    registers,
  })
  const idempotency = new Counter({
    name: 'adcp_idempotency_total',
    help: 'Calls that met their idempotency key again: replay, or the code of the conflict',
    labelNames: ['result'],
    registers,
  })
  const refreshes = new Counter({
    name: 'adcp_crawl_refreshes_total',
    help: 'Publishers refreshed, by result',
    labelNames: ['result'],
    registers,
  })
  const gauges = backlogGauges(registry)
  const timers = new Map<string, Timers>()
  return {
    observe(observation) {
      const { task, transport, outcome, replayed, ms } = observation
      const key = `${task} ${transport} ${outcome}`
      const known = timers.get(key) ?? {
        calls: calls.labels(task, transport, outcome),
        duration: duration.labels(task, transport),
      }
      timers.set(key, known)
      known.calls.inc()
      known.duration.observe(ms / 1000)
      if (AUTH_CODES.has(outcome) || outcome.startsWith('request_signature_')) failures.inc({ reason: outcome })
      if (replayed) idempotency.inc({ result: 'replay' })
      else if (outcome.startsWith('IDEMPOTENCY_')) idempotency.inc({ result: outcome })
    },
    refreshed: (result) => refreshes.inc({ result }),
    async scrape() {
      gauges(await backlog())
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

/** A task's labels looked up once: prom-client hashes them at every use otherwise. */
interface Timers {
  readonly calls: Counter.Internal
  readonly duration: Histogram.Internal<'task' | 'transport'>
}

function backlogGauges(registry: Registry): (backlog: Backlog) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const shown: Record<keyof Backlog, Gauge> = {
    outboxPending: gauge('adcp_outbox_pending', 'Webhooks that wait to be delivered'),
    outboxDead: gauge('adcp_outbox_dead', 'Webhooks given up, kept for redelivery'),
    outboxOldestSeconds: gauge('adcp_outbox_oldest_seconds', 'Age of the oldest webhook that waits'),
    approvalsWaiting: gauge('adcp_approvals_waiting', 'Orders, changes, creatives and accounts that wait for a person'),
    auditUnsealed: gauge('adcp_audit_unsealed', 'Audit entries that no chain holds yet'),
    crawlDue: gauge('adcp_crawl_due', 'Publishers whose refresh is due'),
    crawlOverdueSeconds: gauge('adcp_crawl_overdue_seconds', 'How long the most overdue refresh has been due'),
  }
  return (backlog) => {
    for (const [name, value] of Object.entries(backlog)) shown[name as keyof Backlog].set(value)
  }
}
