import { type FailureMemory, processFailureMemory, WINDOW_SECONDS } from '../../domain/identity/failure-memory.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import { rateLimited } from '../../platform/net/rate-limit.ts'
import { isSigned } from '../signing/parse-signature.ts'
import type { Exemption } from './call-limits.ts'
import { hashToken } from './opaque-key.ts'
import type { TransportCredentials } from './transport-credentials.ts'
import type { Verifier } from './verifier.ts'

export interface BackOffOptions {
  /** Refusals that are free, from one address and for one user name. */
  readonly failuresPerAddress: number
  readonly failuresPerCredential: number
  readonly isExempt: Exemption
  /** What is remembered; default: in this process. */
  readonly memory?: FailureMemory | undefined
}

/**
 * Slows guessing down: after some refusals an address, or a user name, waits one second, then two, then four, and whatever it
 * sends meanwhile is answered 429 without being verified. Nothing is counted for an opaque key: its prefix is public, so that anybody could
 * make its holder wait, and its 256 random bits cannot be guessed. Who has succeeded with a credential from an address before is let
 * through until that credential fails there: no neighbour behind the same address can lock its holder out. A token of ours that has expired is no guess: a hosted assistant sends those of all its people from one address.
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
      const user = userLabel(credentials.authorization)
      if (options.isExempt(credentials.remoteAddress)) return verifier.verify(credentials, at)
      const address = `address ${addressBucket(credentials.remoteAddress ?? '')}`
      const buckets = user === undefined ? [address] : [address, user]
      const label = user ?? keyLabel(credentials.authorization)
      const pair = label === undefined ? undefined : `${address} ${label}`
      const now = at.getTime()
      const isTrusted = isPresented(credentials) && (await requirePatience(buckets, pair, now))
      const verdict = await verifier.verify(credentials, at)
      if (verdict.kind === 'refused' && !verdict.isOver) {
        for (const bucket of buckets) await memory.fail(bucket, limitOf(bucket), now)
        if (pair !== undefined) await memory.distrust(pair)
      } else if (verdict.kind === 'verified' && pair !== undefined && !isTrusted) {
        await memory.trust(pair, user, now)
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

/** The user name of Basic credentials: what a password is guessed for. */
function userLabel(authorization = ''): string | undefined {
  const pair = /^basic +([A-Za-z0-9+/]{1,400}={0,2}) *$/i.exec(authorization)?.[1]
  return pair === undefined ? undefined : `user ${Buffer.from(pair, 'base64').toString('utf8').split(':', 1)[0]}`
}

/** An opaque key as a whole: another key with the same public prefix is another one. */
function keyLabel(authorization = ''): string | undefined {
  const token = /^bearer +(sk_[0-9a-f]{12}_[A-Za-z0-9_-]{1,100}) *$/i.exec(authorization)?.[1]
  return token === undefined ? undefined : `key ${hashToken(token)}`
}
