import type { Logger } from 'pino'
import { SESSION_TTL_SECONDS } from '../domain/si/session.ts'
import type { Db, Store } from './database.ts'
import { sweepIdempotency } from './idempotency.ts'
import { pruneNonces } from './nonces.ts'
import { sweepOauth } from './oauth-records.ts'
import { sweepPersonalData } from './personal-data.ts'
import type { SharedLimits } from './shared-limits.ts'
import { sweepSessions } from './si-sessions.ts'

/** How often what is over is dropped, and of how many keys at a time. */
const SWEEP_MS = 10 * 60_000
const SWEEP_KEYS = 1000

export interface SweepOptions {
  readonly privacy: Parameters<typeof sweepPersonalData>[2]
  readonly limits: Pick<SharedLimits, 'sweep'>
  /** Whether people log in here, so that there are grants to drop. */
  readonly withOauth: boolean
  readonly clock: () => Date
  readonly log: Pick<Logger, 'error'>
}

/**
 * Drops at intervals what is over: idempotency records, grants, nonces, counts of limits, data of persons and conversations. One after another, each
 * in a transaction of its own. `stop` ends it.
 */
export function startSweep(store: Store, options: SweepOptions): { stop(): void } {
  const timer = setInterval(() => {
    sweep(store, options).catch((error: unknown) => options.log.error({ err: error }, 'sweep failed'))
  }, SWEEP_MS).unref()
  return { stop: () => clearInterval(timer) }
}

async function sweep(store: Store, { privacy, limits, withOauth, clock }: SweepOptions): Promise<void> {
  const now = clock()
  const drop = (work: (tx: Db) => Promise<unknown>) => store.transaction(work, { isolation: 'statement' })
  await drop((tx) => sweepIdempotency(tx, now))
  if (withOauth) await drop((tx) => sweepOauth(tx, now))
  await pruneNonces(store, now.getTime() / 1000, SWEEP_KEYS)
  await limits.sweep(now)
  await drop((tx) => sweepPersonalData(tx, now, privacy))
  await drop((tx) => sweepSessions(tx, now, SESSION_TTL_SECONDS))
}
