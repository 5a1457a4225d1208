import type { Store } from '../database.ts'
import { type IdempotencyScope, renewClaim } from './idempotency.ts'
import { hasEnded, localPid, ownerName, type ProcessName, processName } from './process-name.ts'

/**
 * How long a claim counts without a sign of life. A process that ended on another machine holds its keys for so long: less than a duplicate
 * waits by default (`idempotency.waitSeconds`), so that the first repetition is answered. An event loop that stalls for longer loses its
 * claims, and its effects are refused.
 */
const LEASE_MS = 4_000
const RENEW_MS = 1_000

/** The claims of calls that run in this process. A running call holds its key by short leases, which this renews. */
export interface Claims {
  /** A new claim. It counts as running until `end`. */
  begin(): string
  /** When a lease that is taken or renewed at `now` ends; `latest` bounds it. */
  leaseUntil(now: Date, latest: Date): Date
  /** Renews the lease of a claim in the store, until `latest` at most. */
  keep(claim: string, scope: IdempotencyScope, latest: Date): void
  end(claim: string): void
  /** Whether the call of a claim has certainly ended: it was of this process and no longer runs, or its process on this machine has ended. */
  isOver(claim: string): boolean
}

export interface ClaimsOptions {
  readonly store: Pick<Store, 'transaction'>
  readonly clock: () => Date
  /** Called with the reason why a lease could not be renewed; the call itself goes on. */
  readonly onError: (error: unknown) => void
  /** Default: of the running process. */
  readonly process?: ProcessName
}

interface RenewedClaim {
  readonly scope: IdempotencyScope
  readonly latest: Date
}

/** A claim is the name of an owner, so that every process on the same machine can ask whether it still runs. */
export function createClaims({ store, clock, onError, process: own = processName() }: ClaimsOptions): Claims {
  const running = new Map<string, RenewedClaim | undefined>()
  let timer: NodeJS.Timeout | undefined
  const leaseUntil = (now: Date, latest: Date) => new Date(Math.min(now.getTime() + LEASE_MS, latest.getTime()))

  const renew = async (): Promise<void> => {
    const renewed = [...running].flatMap(([claim, each]) => (each ? [{ claim, ...each }] : []))
    const now = clock()
    for (const { claim, scope, latest } of renewed.filter((each) => each.latest > now)) {
      await store.transaction((tx) => renewClaim(tx, scope, claim, leaseUntil(now, latest)), {
        isolation: 'statement',
        durability: 'lazy',
      })
    }
  }
  const tick = () => {
    timer = undefined
    if (![...running.values()].some((claim) => claim !== undefined)) return
    void renew().catch(onError).then(start)
  }
  /** Most calls end before the first renewal: the timer is one for all of them. */
  function start(): void {
    if (!timer) timer = setTimeout(tick, RENEW_MS).unref()
  }

  return {
    begin() {
      const claim = ownerName(own)
      running.set(claim, undefined)
      return claim
    },
    leaseUntil,
    keep(claim, scope, latest) {
      running.set(claim, { scope, latest })
      start()
    },
    end: (claim) => void running.delete(claim),
    isOver(claim) {
      const pid = localPid(claim, own)
      if (pid === undefined) return false
      return pid === own.pid ? !running.has(claim) : hasEnded(pid)
    },
  }
}
