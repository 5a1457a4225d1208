import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { BasicUser } from '../../domain/identity/basic-user.ts'
import type { GuessGuard } from './guess-guard.ts'
import { hashPassword, passwordMatches } from './password.ts'
import type { Verdict, Verifier } from './verifier.ts'

export interface BasicOptions {
  readonly realm: string
  readonly findUser: (username: string, now: Date) => Promise<BasicUser | undefined>
  /** Hash that unknown users are checked against, of the same cost as the real ones. Made at the first use when absent. */
  readonly dummyHash?: string
  /** The slow check of a password against a stored hash. */
  readonly matches?: typeof passwordMatches
  /** Bounds how many hashes run at once; default: no bound. */
  readonly hash?: GuessGuard['hash']
}

/** RFC 7617 §2: the pair is Base64 of `user:password`; the scheme has no case. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i

/** A password counts as verified for this long without being hashed again. The user is looked up every time. */
const REMEMBER_MS = 5 * 60_000
const MAX_REMEMBERED = 10_000

/**
 * Verifies HTTP Basic credentials (RFC 7617). Passwords are checked with a slow hash; a success is remembered under a keyed hash
 * together with the stored hash it was checked against, so a changed password ends it at once. Unknown users cost as much
 * as known ones. Throws RATE_LIMITED when too many hashes are waiting.
 */
export function basicVerifier(options: BasicOptions): Verifier {
  const challenge = `Basic realm="${options.realm}", charset="UTF-8"`
  const matches = options.matches ?? passwordMatches
  const cacheKey = randomBytes(32)
  const remembered = new LRUCache<string, { readonly passwordHash: string; readonly until: number }>({ max: MAX_REMEMBERED })
  const limited: GuessGuard['hash'] = options.hash ?? ((_whose, work) => work())
  let dummyHash: Promise<string> | undefined

  async function check(
    { username, password }: Pair,
    user: BasicUser | undefined,
    address: string | undefined,
    now: Date,
  ): Promise<boolean> {
    const memory = createHmac('sha256', cacheKey)
      .update(JSON.stringify([username, password]))
      .digest('base64')
    const known = remembered.get(memory)
    if (user && known?.passwordHash === user.passwordHash && now.getTime() < known.until) return true
    dummyHash ??=
      options.dummyHash === undefined ? hashPassword(randomBytes(16).toString('hex')) : Promise.resolve(options.dummyHash)
    const against = user?.passwordHash ?? (await dummyHash)
    const isRight = await limited({ address, name: username }, () => matches(password, against))
    if (!isRight || !user) return false
    remembered.set(memory, { passwordHash: user.passwordHash, until: now.getTime() + REMEMBER_MS })
    return true
  }

  return {
    name: 'basic',
    async verify(credentials, now): Promise<Verdict> {
      const header = credentials.authorization
      if (header === undefined || !/^basic\b/i.test(header)) return { kind: 'absent' }
      const pair = readPair(header)
      if (!pair) return { kind: 'refused', reason: 'malformed', challenge }
      const user = await options.findUser(pair.username, now)
      if (!(await check(pair, user, credentials.remoteAddress, now)) || !user) {
        return { kind: 'refused', reason: user ? 'wrong password' : 'unknown', challenge }
      }
      const principal = { ...user.principal, mechanism: 'basic' as const, credentialId: user.username }
      return { kind: 'verified', principal, tenant: user.tenant }
    },
  }
}

interface Pair {
  readonly username: string
  readonly password: string
}

/** User name and password, split at the first colon; undefined for anything that RFC 7617 §2 does not allow. */
function readPair(header: string): Pair | undefined {
  const bytes = Buffer.from(BASIC.exec(header)?.[1] ?? '', 'base64')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
  const colon = text.indexOf(':')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 §2 forbids control characters
  if (colon < 1 || /[\u0000-\u001f\u007f]/.test(text)) return undefined
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
