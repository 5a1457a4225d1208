import { addressBucket } from '../net/client-address.ts'
import { rateLimited } from '../net/rate-limit.ts'
import type { TransportCredentials } from '../pipeline/task.ts'
import type { Exemption } from './call-limits.ts'
import type { Verifier } from './verifier.ts'

export interface BackOffOptions {
  /** Refusals that are free, from one address and for one key prefix or user name. */
  readonly failuresPerAddress: number
  readonly failuresPerCredential: number
  readonly isExempt: Exemption
}

interface Failures {
  readonly count: number
  readonly lastAt: number
  /** Nothing is verified before this moment. */
  readonly until: number
}

/** Failures are forgotten after a quarter of an hour without another one; nobody waits longer than that either. */
const WINDOW_SECONDS = 15 * 60

/** Buckets that are remembered. Beyond that the oldest go: an attacker with that many addresses gains nothing by guessing 256 bits. */
const MAX_BUCKETS = 50_000

/**
 * Slows guessing down: after some refusals an address, or a key prefix, waits one second, then two, then four, and whatever it
 * sends meanwhile is answered 429 without being verified. Who has succeeded with a credential from an address before is let
 * through until it fails there itself: neither a neighbour behind the same address nor anybody who knows a key's public prefix
 * can lock its owner out.
 */
export function withBackOff(verifier: Verifier, options: BackOffOptions): Verifier {
  const failures = new Map<string, Failures>()
  const trusted = new Map<string, true>()

  function limitOf(bucket: string): number {
    return bucket.startsWith('address ') ? options.failuresPerAddress : options.failuresPerCredential
  }

  function requirePatience(buckets: readonly string[], now: number): void {
    for (const bucket of buckets) {
      const { until = 0 } = failures.get(bucket) ?? {}
      if (until <= now) continue
      const terms = { limit: limitOf(bucket), windowSeconds: WINDOW_SECONDS, scope: 'global' as const }
      throw rateLimited('too many refused credentials', (until - now) / 1000, terms)
    }
  }

  function noteFailure(bucket: string, now: number): void {
    const before = failures.get(bucket)
    const count = before && now - before.lastAt < WINDOW_SECONDS * 1000 ? before.count + 1 : 1
    const beyond = count - limitOf(bucket)
    const waitSeconds = beyond > 0 ? Math.min(2 ** (beyond - 1), WINDOW_SECONDS) : 0
    remember(failures, bucket, { count, lastAt: now, until: now + waitSeconds * 1000 })
  }

  return {
    name: verifier.name,
    async verify(credentials, at) {
      const label = credentialLabel(credentials.authorization)
      if (options.isExempt(credentials.remoteAddress)) return verifier.verify(credentials, at)
      const address = `address ${addressBucket(credentials.remoteAddress ?? '')}`
      const buckets = label === undefined ? [address] : [address, label]
      const pair = label === undefined ? undefined : `${address} ${label}`
      const now = at.getTime()
      if (isPresented(credentials) && !(pair !== undefined && trusted.has(pair))) requirePatience(buckets, now)
      const verdict = await verifier.verify(credentials, at)
      if (verdict.kind === 'refused') {
        for (const bucket of buckets) noteFailure(bucket, now)
        if (pair !== undefined) trusted.delete(pair)
      } else if (verdict.kind === 'verified' && pair !== undefined && !trusted.has(pair)) {
        failures.delete(label ?? '')
        remember(trusted, pair, true)
      }
      return verdict
    },
  }
}

function isPresented({ authorization, rawHeaders, clientCertificate }: TransportCredentials): boolean {
  return (
    authorization !== undefined ||
    clientCertificate !== undefined ||
    rawHeaders.some((name, index) => index % 2 === 0 && /^(signature|signature-input|authorization)$/i.test(name))
  )
}

/** What names a guessable credential without being secret: the prefix of an opaque key, or the user name. */
function credentialLabel(authorization: string | undefined): string | undefined {
  const prefix = /^bearer +(sk_[0-9a-f]{12})_/i.exec(authorization ?? '')?.[1]
  if (prefix !== undefined) return `key ${prefix}`
  const pair = /^basic +([A-Za-z0-9+/]{1,400}={0,2}) *$/i.exec(authorization ?? '')?.[1]
  return pair === undefined ? undefined : `user ${Buffer.from(pair, 'base64').toString('utf8').split(':', 1)[0]}`
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next().value
  if (map.size > MAX_BUCKETS && oldest !== undefined) map.delete(oldest)
}
