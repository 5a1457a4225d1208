import { randomBytes, randomUUID } from 'node:crypto'
import type { Person } from '../../domain/people/person.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { hashPassword, MAX_PASSWORD, passwordMatches } from '../../security/auth/password.ts'
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
/** Wrong passwords that cost no waiting, from one address and for one name at it. */
const PEOPLE = { realm: 'console ', terms: { failuresPerAddress: 20, failuresPerCredential: 5 } }

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
 * them: see `createGuessGuard`.
 */
export async function signIn(
  context: OperatorContext,
  given: { readonly username: string; readonly password: string; readonly browser: Browser },
  guard: GuessGuard,
): Promise<NewSession> {
  const found = await findByPassword(context, given, guard)
  if (!found) throw new AdcpError('AUTH_INVALID', 'user name or password is wrong', { field: 'password' })
  return beginSession(context, found, given.browser)
}

/** The person whose user name and password these are. Throws RATE_LIMITED after too many wrong ones. */
export function findByPassword(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  given: { readonly username: string; readonly password: string; readonly browser: Browser },
  guard: GuessGuard,
): Promise<Awaited<ReturnType<typeof findPersonToSignIn>>> {
  const username = given.username.trim().toLowerCase().slice(0, 128)
  const attempt = { ...PEOPLE, address: given.browser.address, name: username }
  const check = async () => {
    const found = await findPersonToSignIn(store.read, username)
    // A name that does not exist costs the same time as one that does: otherwise the time says which names there are.
    const isRight = await guard.hash(attempt, () =>
      found
        ? passwordMatches(given.password, found.passwordHash)
        : hashPassword(given.password.slice(0, MAX_PASSWORD)).then(() => false),
    )
    return isRight ? found : undefined
  }
  return guard.judge(attempt, clock(), check, (found) => (found ? 'right' : 'wrong'))
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
  const actor = { ...context.actor, who: `person:${username}`, credential: `console:${username}` }
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
