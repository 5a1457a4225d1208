import { type FailureMemory, processFailureMemory, WINDOW_SECONDS } from '../../domain/identity/failure-memory.ts'

import { addressBucket } from '../../platform/net/client-address.ts'
import { rateLimited } from '../../platform/net/rate-limit.ts'
import { isSigned } from '../signing/parse-signature.ts'
import type { Exemption } from './call-limits.ts'
import type { TransportCredentials } from './transport-credentials.ts'
import type { Verifier } from './verifier.ts'

export interface BackOffOptions {
  /** Refusals that are free, from one address and for one key prefix or user name. */
  readonly failuresPerAddress: number
  readonly failuresPerCredential: number
  readonly isExempt: Exemption
  /** What is remembered; default: in this process. */
  readonly memory?: FailureMemory | undefined
}

/**
 * Slows guessing down: after some refusals an address, or a key prefix, waits one second, then two, then four, and whatever it
 * sends meanwhile is answered 429 without being verified. Who has succeeded with a credential from an address before is let
 * through until it fails there itself: neither a neighbour behind the same address nor anybody who knows a key's public prefix
 * can lock its owner out. A token of ours that has expired is no guess: a hosted assistant sends those of all its people from one address.
 */
export function withBackOff(verifier: Verifier, options: BackOffOptions): Verifier {
  const memory = options.memory ?? processFailureMemory()

  function limitOf(bucket: string): number {
    return bucket.startsWith('address ') ? options.failuresPerAddress : options.failuresPerCredential
  }

  async function requirePatience(buckets: readonly string[], pair: string | undefined, now: number): Promise<boolean> {
    const { until, isTrusted } = await memory.look(buckets, pair)
    if (isTrusted) return true
    for (const [index, bucket] of buckets.entries()) {
      const waitMs = (until[index] ?? 0) - now
      if (waitMs <= 0) continue
      const terms = { limit: limitOf(bucket), windowSeconds: WINDOW_SECONDS, scope: 'global' as const }
      throw rateLimited('too many refused credentials', waitMs / 1000, terms)
    }
    return false
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
      const isTrusted = isPresented(credentials) && (await requirePatience(buckets, pair, now))
      const verdict = await verifier.verify(credentials, at)
      if (verdict.kind === 'refused' && !verdict.isOver) {
        for (const bucket of buckets) await memory.fail(bucket, limitOf(bucket), now)
        if (pair !== undefined) await memory.distrust(pair)
      } else if (verdict.kind === 'verified' && pair !== undefined && !isTrusted) {
        await memory.trust(pair, label ?? '', now)
      }
      return verdict
    },
  }
}

function isPresented({ authorization, rawHeaders, clientCertificate }: TransportCredentials): boolean {
  return (
    authorization !== undefined ||
    clientCertificate !== undefined ||
    isSigned(rawHeaders) ||
    rawHeaders.some((name, index) => index % 2 === 0 && /^authorization$/i.test(name))
  )
}

/** What names a guessable credential without being secret: the prefix of an opaque key, or the user name. */
function credentialLabel(authorization: string | undefined): string | undefined {
  const prefix = /^bearer +(sk_[0-9a-f]{12})_/i.exec(authorization ?? '')?.[1]
  if (prefix !== undefined) return `key ${prefix}`
  const pair = /^basic +([A-Za-z0-9+/]{1,400}={0,2}) *$/i.exec(authorization ?? '')?.[1]
  return pair === undefined ? undefined : `user ${Buffer.from(pair, 'base64').toString('utf8').split(':', 1)[0]}`
}
