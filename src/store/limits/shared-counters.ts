import { createHash } from 'node:crypto'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Counters } from '../../platform/net/rate-limit.ts'
import type { Db } from '../database.ts'
import type { PostgresStore } from '../postgres/postgres.ts'
import { asStoreError } from '../postgres/postgres-errors.ts'

/** A process takes this part of a limit at once, so that most calls are counted without a statement. */
const SHARE = 100

/** Buckets that a process remembers; the oldest go first, and are asked for again. */
const MAX_BUCKETS = 50_000

interface Held {
  /** Uses that are taken and not yet used. */
  left: number
  /** No more can be taken in this window. */
  readonly isOver: boolean
  /** Unix milliseconds: the end of the window. */
  readonly until: number
}

/**
 * Counters that all processes on one database share: the sum of what they let through never exceeds a limit. Of limits of 100 and
 * more each process takes a hundredth at once and uses it up by itself, so one that takes no calls may keep that much from the others;
 * however many calls come at once, one of them takes and the rest wait for it, so that no process ever keeps more.
 */
export function sharedCounters({ countersPool }: Pick<PostgresStore, 'countersPool'>, clock: () => number = Date.now): Counters {
  return ({ name, limit, windowSeconds }) => {
    const limiter = new RateLimiterPostgres({
      storeClient: countersPool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limit,
      duration: windowSeconds,
    })
    const share = Math.max(1, Math.floor(limit / SHARE))
    const held = new Map<string, Held>()
    const refilling = new Map<string, Promise<void>>()
    const refill = async (key: string): Promise<void> => {
      const { granted, msBeforeNext } = await take(limiter, key, share, limit)
      remember(held, key, { left: granted, isOver: granted === 0, until: clock() + msBeforeNext })
    }
    const refilled = (key: string): Promise<void> => {
      const started = refilling.get(key) ?? refill(key).finally(() => refilling.delete(key))
      refilling.set(key, started)
      return started
    }

    return async (bucket) => {
      const key = createHash('sha256').update(bucket).digest('base64url')
      for (;;) {
        const known = held.get(key)
        if (known && known.until > clock()) {
          if (known.left > 0) {
            known.left -= 1
            return undefined
          }
          if (known.isOver) return known.until - clock()
        }
        await refilled(key)
      }
    }
  }
}

/** Takes up to `share` uses of a bucket; fewer, or none, when the limit is near or used up. */
async function take(
  limiter: RateLimiterPostgres,
  key: string,
  share: number,
  limit: number,
): Promise<{ granted: number; msBeforeNext: number }> {
  try {
    const { msBeforeNext } = await limiter.consume(key, share)
    return { granted: share, msBeforeNext }
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw asStoreError(error)
    const usedBefore = error.consumedPoints - share
    return { granted: Math.max(0, limit - usedBefore), msBeforeNext: error.msBeforeNext }
  }
}

function remember(held: Map<string, Held>, key: string, value: Held): void {
  held.delete(key)
  held.set(key, value)
  const oldest = held.keys().next().value
  if (held.size > MAX_BUCKETS && oldest !== undefined) held.delete(oldest)
}

/** Drops windows that are over. */
export async function sweepCounters(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('rate_limits').where('expire', '<=', now.getTime()).execute()
}
