import cluster from 'node:cluster'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Observation } from '../../domain/audit/observation.ts'
import type { Slots } from '../concurrency/slots.ts'
import { type AdLogNumbers, gaugeAdLog } from './ad-log-gauges.ts'
import { bodyRefusals } from './body-refusals.ts'
import { countDecodeRefusals } from './decode-refusals.ts'
import { gaugeSpool, type SpoolNumbers } from './spool-gauges.ts'
import { gaugeStore, type StoreNumbers } from './store-gauges.ts'
import { gaugeStreams } from './stream-gauges.ts'
import { giveNumbers, type Scrape } from './worker-numbers.ts'

/** The numbers of a running server (Prometheus text format). No label holds a tenant, a principal or anything that a caller chose. */
export interface Metrics {
  observe(observation: Observation): void
  /** Counts a call that takes no part in the pipeline. */
  count(call: Pick<Observation, 'task' | 'transport' | 'outcome' | 'ms'>): void
  /** Counts a refresh of a publisher by the crawler of this process, by its result. */
  refreshed(result: string): void
  /** Counts what was refused because a bound was reached, by what was asked and by the bound. Both are words of the program. */
  refused(what: string, limit: string): void
  /** Event streams that are open in this process, by kind; asked at each scrape. */
  watchStreams(streams: Readonly<Record<string, Slots>>): void
  /** How many damaged places of the store the last look found; no look yet: no value. */
  storeDamage(places: number): void
  /** Counts briefs that the publisher's own ranking gave no answer to, by why. */
  rankingFellBack(reason: string): void
  /** Counts a step of dropping what is over that failed, by its name. */
  sweepFailed(step: string): void
  /** Counts webhooks that are not tried any more, by why: a word of the program. */
  webhooksGivenUp(reason: string, webhooks: number): void
  /** Counts ad events by what became of them. */
  adEvents(result: string, events: number): void
  /** Counts requests for ads that were answered and not counted. */
  adRequestsUncounted(requests: number): void
  /** Counts decisions on lines with a frequency cap by how they learned what the visitor has had, where that is counted outside the store. */
  adCapsDecided(result: string): void
  /** How far this process is with counting the log of ad events; asked at each scrape. */
  watchAdLog(numbers: () => AdLogNumbers): void
  /** Queries the store for pending work. In a worker: the sums over all workers on the port. */
  scrape(): Promise<Scrape>
}

/** From a cache hit to a call that is queued. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Errors that are about who calls, not about what is asked. */
const AUTH_CODES = new Set(['AUTH_REQUIRED', 'AUTH_MISSING', 'AUTH_INVALID', 'PERMISSION_DENIED', 'RATE_LIMITED'])

/** Starts collecting. `store` is queried at each scrape for pending work. */
export function createMetrics(store: StoreNumbers & SpoolNumbers): Metrics {
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
    help: 'Calls refused for who called, by error code and by why the credentials do not count',
    labelNames: ['code', 'reason'],
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
  const adEvents = new Counter({
    name: 'adcp_ad_events_total',
    help: 'Events of ads: stored, spooled while the store was away, replayed from the spool, or refused because it was full; with a log: logged, and counted or repeated where it is counted',
    labelNames: ['result'],
    registers,
  })
  const uncounted = new Counter({
    name: 'adcp_ad_requests_uncounted_total',
    help: 'Requests for ads that were answered and are in no report, because too many counts waited for the store',
    registers,
  })
  const capped = new Counter({
    name: 'adcp_ad_capped_decisions_total',
    help: 'Decisions on lines with a frequency cap, with ads.counters: counted by the counters alone, loaded from the store first, or silent because nobody knew what the visitor has had',
    labelNames: ['result'],
    registers,
  })
  const addBodies = bodyRefusals()
  const refusals = new Counter({
    name: 'adcp_refusals_total',
    help: 'What was refused because a bound was reached, by what was asked and by the bound',
    labelNames: ['what', 'limit'] as const,
    registers,
    collect() {
      addBodies(this)
    },
  })
  const fallbacks = new Counter({
    name: 'adcp_ranking_fallbacks_total',
    help: 'Briefs that the ranking of the publisher (connect.ranking) gave no answer to, by why',
    labelNames: ['reason'],
    registers,
  })
  const sweepFailures = new Counter({
    name: 'adcp_sweep_failures_total',
    help: 'Steps of dropping what is over that failed, by step; the log has the error',
    labelNames: ['step'],
    registers,
  })
  const givenUp = new Counter({
    name: 'adcp_webhooks_given_up_total',
    help: 'Webhooks that are not tried any more, by why',
    labelNames: ['reason'],
    registers,
  })
  const damage = new Gauge({
    name: 'adcp_store_damage',
    help: 'Damaged places of the store that the last look found; the log names them',
    registers,
    aggregator: 'max',
  })
  damage.remove()
  countDecodeRefusals(registry)
  gaugeSpool(registry, store)
  gaugeStore(registry, store)
  const timers = new Map<string, Timers>()
  const reasons = new Set<string>()
  const count: Metrics['count'] = ({ task, transport, outcome, ms }) => {
    const key = `${task} ${transport} ${outcome}`
    const known = timers.get(key) ?? {
      calls: calls.labels(task, transport, outcome),
      duration: duration.labels(task, transport),
    }
    timers.set(key, known)
    known.calls.inc()
    known.duration.observe(ms / 1000)
  }
  return {
    count,
    observe(observation) {
      const { outcome, reason, replayed } = observation
      count(observation)
      if (AUTH_CODES.has(outcome)) failures.inc({ code: outcome, reason: reasonLabel(reason ?? outcome, reasons) })
      if (replayed) idempotency.inc({ result: 'replay' })
      else if (outcome.startsWith('IDEMPOTENCY_')) idempotency.inc({ result: outcome })
    },
    refused: (what, limit) => refusals.inc({ what, limit }),
    watchStreams: (streams) => gaugeStreams(registry, streams),
    rankingFellBack: (reason) => fallbacks.inc({ reason }),
    sweepFailed: (step) => sweepFailures.inc({ step }),
    webhooksGivenUp: (reason, webhooks) => givenUp.inc({ reason }, webhooks),
    storeDamage: (places) => damage.set(places),
    adEvents: (result, events) => adEvents.inc({ result }, events),
    adRequestsUncounted: (requests) => uncounted.inc(requests),
    adCapsDecided: (result) => capped.inc({ result }),
    watchAdLog: (numbers) => gaugeAdLog(registry, numbers),
    refreshed: (result) => refreshes.inc({ result }),
    scrape: cluster.isWorker
      ? giveNumbers(registry)
      : async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}

/** A task's labels looked up once: prom-client hashes them at every use otherwise. */
interface Timers {
  readonly calls: Counter.Internal
  readonly duration: Histogram.Internal<'task' | 'transport'>
}

/** More reasons than the verifiers have between them; a label must not grow without bound. */
const MAX_REASONS = 60

/** A reason as a label: `step 9: request_signature_key_unknown` is `request_signature_key_unknown`, `wrong password` is `wrong_password`. */
function reasonLabel(reason: string, known: Set<string>): string {
  const label = reason
    .replace(/^step \w+: /, '')
    .toLowerCase()
    .replaceAll(/\W+/g, '_')
  if (known.size < MAX_REASONS) known.add(label)
  return known.has(label) ? label : 'other'
}
