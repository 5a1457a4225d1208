import { type Bucket, type FailureMemory, WINDOW_SECONDS } from '../../domain/identity/failure-memory.ts'
import { createFairQueue } from '../../platform/concurrency/fair-queue.ts'
import { createGate } from '../../platform/concurrency/gate.ts'
import { createTurns } from '../../platform/concurrency/turns.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import { rateLimited } from '../../platform/net/rate-limit.ts'
import { AdcpError } from '../../protocol/errors.ts'

export interface GuardTerms {
  /** Refusals that are free: from one address, and for one name at one address. */
  readonly failuresPerAddress: number
  readonly failuresPerCredential: number
}

/** Credentials that somebody presents. */
export interface Attempt {
  readonly address: string | undefined
  /** What kind of names there are at this entrance: those of people are none of the buyers' users. */
  readonly realm?: string
  /** The name that a password comes with; undefined for credentials that cannot be guessed. */
  readonly name?: string | undefined
  /** What a credential without a name is recognised by when it comes again from the same address. */
  readonly label?: string | undefined
  readonly terms: GuardTerms
}

/** `neither`: no guess, as a token that has expired. */
export type Judgement = 'right' | 'wrong' | 'neither'

/** Slows guessing down, for everything that checks a password, a key or a token. */
export interface GuessGuard {
  /**
   * Lets `check` judge an attempt and counts what `judgement` makes of the result. Throws RATE_LIMITED (429) without judging when the
   * address, or the name at this address, has to wait.
   */
  judge<T>(attempt: Attempt, now: Date, check: () => Promise<T>, judgement: (result: T) => Judgement): Promise<T>
  /**
   * Runs the slow hash of an attempt, few at a time: those of names that were let in from their address before come first and have a share of their own, the
   * other addresses take turns. Throws RATE_LIMITED when too many wait: addresses that failed lately make room for those that did less often.
   */
  hash<T>(whose: Pick<Attempt, 'address' | 'realm' | 'name'>, work: () => Promise<T>): Promise<T>
}

/** A slow hash occupies a thread of the pool; all four taken would stall every file read and look-up. */
const MAX_CONCURRENT_HASHES = 3
/** Of these so many for names that were not let in from their address before: guesses from many addresses leave one to the others. */
const MAX_HASHES_OF_UNKNOWN = 2
const MAX_WAITING_HASHES = 64
/** Refusals of one name from all addresses together, as a multiple of those that are free at one, after which none is free. */
const NAME_FACTOR = 10

/**
 * After some refusals an address, or a name at an address, waits one second, then two, then four, and whatever it sends meanwhile is answered
 * 429 without being verified. A password counts as refused before it is hashed, and those for one name from one address are judged one after
 * the other, so that guesses sent at once gain nothing; what cannot be guessed (keys, tokens, signatures) is judged as many at once as could
 * fail for free, and counts for the address alone: the prefix of a key is public. Who has succeeded from an address before is
 * let through until that fails there: no neighbour behind the same address can lock its holder out.
 */
export function createGuessGuard(memory: FailureMemory): GuessGuard {
  const inTurn = createTurns()
  const gate = createGate()
  const hashes = createFairQueue({
    concurrent: MAX_CONCURRENT_HASHES,
    ofUnknown: MAX_HASHES_OF_UNKNOWN,
    waiting: MAX_WAITING_HASHES,
    refusal: tooManyHashes,
  })

  /** How often the address of an attempt that is being judged has failed lately, by its pair, of which one is judged at a time. */
  const failed = new Map<string, number>()

  const judgePassword: Judge = async ({ pair = '', buckets, terms }, now, check, judgement) => {
    const isTrusted = await memory.isTrusted(pair)
    const counted = isTrusted ? [] : await memory.count(buckets, now)
    if (typeof counted === 'number') throw tooMany(counted - now, terms.failuresPerCredential)
    if (!isTrusted) failed.set(pair, (await memory.look(buckets[0], now)).count)
    let verdict: Judgement = 'neither'
    try {
      const result = await check()
      verdict = judgement(result)
      return result
    } finally {
      failed.delete(pair)
      if (verdict === 'neither') await memory.takeBack(counted)
      else if (verdict === 'right') await memory.forgive(counted)
      else if (isTrusted) {
        await memory.distrust(pair)
        await memory.count(buckets, now)
      }
      if (verdict === 'right' && !isTrusted) await memory.trust(pair, now)
    }
  }

  const judgeOther: Judge = async ({ pair, buckets, terms }, now, check, judgement) => {
    const [address] = buckets
    const isTrusted = async () => pair !== undefined && (await memory.isTrusted(pair))
    const judgeNow = async (wasTrusted: boolean) => {
      const result = await check()
      const verdict = judgement(result)
      if (verdict === 'wrong') await memory.count(buckets, now)
      if (verdict === 'wrong' && pair !== undefined) await memory.distrust(pair)
      if (verdict === 'right' && pair !== undefined && !wasTrusted) await memory.trust(pair, now)
      return result
    }
    if (await isTrusted()) return judgeNow(true)
    let wasTrusted = false
    const room = async () => {
      wasTrusted = await isTrusted()
      if (wasTrusted) return Number.POSITIVE_INFINITY
      const { count, until } = await memory.look(address, now)
      if (until > now) throw tooMany(until - now, terms.failuresPerAddress)
      return address.freeFailures + 1 - count
    }
    return gate(address.key, room, () => judgeNow(wasTrusted))
  }

  return {
    judge(attempt, at, check, judgement) {
      const parts = partsOf(attempt)
      const judge = () => (attempt.name === undefined ? judgeOther : judgePassword)(parts, at.getTime(), check, judgement)
      return attempt.name === undefined ? judge() : inTurn(parts.pair ?? '', judge)
    },
    async hash({ address: from, realm = '', name }, work) {
      const address = addressKey(from, realm)
      const pair = name === undefined ? undefined : pairKey(address, name)
      const isKnown = pair !== undefined && (await memory.isTrusted(pair))
      return hashes({ key: address, isKnown, had: failed.get(pair ?? '') ?? 0 }, work)
    },
  }
}

interface Parts {
  /** What is trusted after a success. */
  readonly pair: string | undefined
  readonly buckets: readonly [Bucket, ...Bucket[]]
  readonly terms: GuardTerms
}

type Judge = <T>(parts: Parts, now: number, check: () => Promise<T>, judgement: (result: T) => Judgement) => Promise<T>

function partsOf({ address: from, realm = '', name, label, terms }: Attempt): Parts {
  const address = addressKey(from, realm)
  const all: Bucket = { key: address, kind: 'address', freeFailures: terms.failuresPerAddress }
  if (name === undefined) return { pair: label === undefined ? undefined : `${address} ${label}`, buckets: [all], terms }
  const pair = pairKey(address, name)
  const free = terms.failuresPerCredential
  const here: Bucket = { key: pair, kind: 'name at address', freeFailures: free }
  const everywhere: Bucket = { key: `${realm}user ${name}`, kind: 'name', freeFailures: free * NAME_FACTOR }
  return { pair, buckets: [all, here, everywhere], terms }
}

function addressKey(address: string | undefined, realm: string): string {
  return `${realm}address ${addressBucket(address ?? '')}`
}

function pairKey(address: string, name: string): string {
  return `${address} user ${name}`
}

function tooMany(waitMs: number, limit: number): AdcpError {
  return rateLimited('too many refused credentials', waitMs / 1000, { limit, windowSeconds: WINDOW_SECONDS, scope: 'global' })
}

function tooManyHashes(): AdcpError {
  return new AdcpError('RATE_LIMITED', 'too many logins at once', {
    retryAfter: 5,
    http: { status: 429, headers: { 'Retry-After': '5' } },
  })
}
