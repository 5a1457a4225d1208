import { randomBytes, randomUUID } from 'node:crypto'
import type { FailureMemory } from '../../domain/identity/failure-memory.ts'
import type { Person } from '../../domain/people/person.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import { rateLimited } from '../../platform/net/rate-limit.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { hashPassword, passwordMatches } from '../../security/auth/password.ts'
import { findPerson, findPersonToSignIn } from '../../store/people/people.ts'
import {
  deletePersonSessions,
  findPersonSession,
  insertPersonSession,
  type PersonSession,
  touchPersonSession,
} from '../../store/people/person-sessions.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A session ends after half a day, used or not: a working day needs one sign-in. */
const SESSION_MS = 12 * 3_600_000
/** How often a use of a session is written down. */
const TOUCH_MS = 60_000
/** Wrong passwords that cost no waiting, from one address and for one name (as credentials of buyers: security/auth/back-off.ts). */
const FREE_FAILURES = { address: 20, username: 5 }

/** Whence a person signs in. */
export interface Browser {
  readonly address: string
  readonly userAgent: string
}

/** A session that has begun; the token goes into the cookie and nowhere else. */
export interface NewSession {
  readonly token: string
  readonly sessionId: string
}

/** Who is signed in, and by which session. */
export interface SignedIn {
  readonly person: Person
  readonly session: PersonSession
}

/**
 * Checks user name and password and begins a session. Throws AUTH_INVALID for a pair that does not fit, RATE_LIMITED after too many of
 * them: the address and the user name then wait one second, two, four, up to a quarter of an hour.
 */
export async function signIn(
  context: OperatorContext,
  given: { readonly username: string; readonly password: string; readonly browser: Browser },
  memory: FailureMemory,
): Promise<NewSession> {
  const username = given.username.trim().toLowerCase().slice(0, 128)
  const now = context.clock()
  const buckets = [`console address ${addressBucket(given.browser.address)}`, `console user ${username}`] as const
  await requirePatience(memory, buckets, now)
  const found = await findPersonToSignIn(context.store.read, username)
  // A name that does not exist costs the same time as one that does: otherwise the time says which names there are.
  const isRight = found
    ? await passwordMatches(given.password, found.passwordHash)
    : await hashPassword(given.password.slice(0, 256)).then(() => false)
  if (!found || !isRight) {
    await memory.fail(buckets[0], FREE_FAILURES.address, now.getTime())
    await memory.fail(buckets[1], FREE_FAILURES.username, now.getTime())
    throw new AdcpError('AUTH_INVALID', 'user name or password is wrong', { field: 'password' })
  }
  return beginSession(context, found, given.browser)
}

/** Begins a session of a person who has proved who they are. */
export async function beginSession(
  context: OperatorContext,
  { personId, username }: Pick<Person, 'personId' | 'username'>,
  { address, userAgent }: Browser,
): Promise<NewSession> {
  const now = context.clock()
  const token = randomBytes(32).toString('base64url')
  const sessionId = randomUUID()
  const actor = { ...context.actor, principal: `person:${username}`, credential: `console:${username}` }
  await auditedStore({ ...context, actor }, { task: 'people.sign-in', subject: sessionId }).transaction((tx) =>
    insertPersonSession(tx, hashToken(token), {
      sessionId,
      personId,
      browser: userAgent.slice(0, 300),
      address,
      createdAt: now.toISOString(),
      usedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + SESSION_MS).toISOString(),
    }),
  )
  return { token, sessionId }
}

/** Who holds a session's token; undefined when it has ended, was idle for longer than `idleMs`, or its person may not sign in any more. */
export async function findSignedIn(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  token: string,
  idleMs: number,
): Promise<SignedIn | undefined> {
  const now = clock()
  const idleSince = new Date(now.getTime() - idleMs)
  const session = await findPersonSession(store.read, hashToken(token), { now, idleSince })
  const person = session && (await findPerson(store.read, session.personId))
  if (!session || !person?.isActive) return undefined
  if (now.getTime() - Date.parse(session.usedAt) > TOUCH_MS)
    await store.transaction((tx) => touchPersonSession(tx, session.sessionId, now))
  return { person, session }
}

/** Ends a session of a person. */
export async function signOut(context: OperatorContext, { personId }: Person, sessionId: string): Promise<void> {
  const store = auditedStore(context, { task: 'people.sign-out', subject: sessionId })
  await store.transaction((tx) => deletePersonSessions(tx, personId, sessionId))
}

async function requirePatience(memory: FailureMemory, buckets: readonly string[], now: Date): Promise<void> {
  const { until } = await memory.look(buckets, undefined)
  const waitMs = Math.max(...until) - now.getTime()
  if (waitMs > 0)
    throw rateLimited('too many wrong passwords', waitMs / 1000, {
      limit: FREE_FAILURES.username,
      windowSeconds: 900,
      scope: 'global',
    })
}
