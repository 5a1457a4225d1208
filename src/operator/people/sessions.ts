import { randomBytes, randomUUID } from 'node:crypto'
import type { Person } from '../../domain/people/person.ts'
import type { FactorKind, SignInWay } from '../../domain/people/second-factor.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import type { Db } from '../../store/database.ts'
import { findPerson } from '../../store/people/people.ts'
import {
  type Counting,
  deletePersonSession,
  deletePersonSessions,
  findPersonSession,
  insertPersonSession,
  listPersonSessions,
  type PersonSession,
  touchPersonSession,
} from '../../store/people/person-sessions.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A session ends after half a day, used or not: a working day needs one sign-in. */
const SESSION_MS = 12 * 3_600_000
/** How often a use of a session is written down. */
const TOUCH_MS = 60_000

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

/** How a person has shown who they are, without a factor where none was asked for; and when, if not now. */
export interface Shown {
  readonly way: SignInWay
  readonly factor?: FactorKind | undefined
  /** ISO 8601. A session that goes on under another token is as old as before, and ends when it would have. */
  readonly createdAt?: string
}

/** Begins a session of a person who has shown who they are. `first` runs in its transaction, before: when it throws, no session begins. */
export async function beginSession(
  context: OperatorContext,
  { personId, username }: Pick<Person, 'personId' | 'username'>,
  { address, userAgent }: Browser,
  { way, factor, createdAt }: Shown,
  first: (tx: Db) => Promise<void> = async () => undefined,
): Promise<NewSession> {
  const now = context.clock()
  const token = newToken()
  const sessionId = randomUUID()
  const store = auditedStore(ofPerson(context, username), { task: 'people.sign-in', subject: sessionId })
  await store.transaction(async (tx) => {
    await first(tx)
    await insertPersonSession(tx, hashToken(token), {
      sessionId,
      personId,
      browser: userAgent.slice(0, 300),
      address,
      createdAt: createdAt ?? now.toISOString(),
      usedAt: now.toISOString(),
      expiresAt: new Date((createdAt === undefined ? now.getTime() : Date.parse(createdAt)) + SESSION_MS).toISOString(),
      way,
      factor,
    })
  })
  return { token, sessionId }
}

/** A token for the cookie of a browser. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The context of a person who is not signed in yet. */
export function ofPerson(context: OperatorContext, username: string): OperatorContext {
  return { ...context, actor: { ...context.actor, who: `person:${username}`, credential: `console:${username}` } }
}

/** Who holds a session's token; undefined when it has ended, was idle for longer than `idleMs`, or its person may not sign in any more. */
export async function findSignedIn(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  token: string,
  idleMs: number,
): Promise<SignedIn | undefined> {
  const now = clock()
  const session = await findPersonSession(store.read, hashToken(token), countingAt(now, idleMs))
  const person = session && (await findPerson(store.read, session.personId))
  if (!session || !person?.isActive) return undefined
  if (now.getTime() - Date.parse(session.usedAt) > TOUCH_MS)
    await store.transaction((tx) => touchPersonSession(tx, session.sessionId, now))
  return { person, session }
}

/** Where a person is signed in. */
export function listSessions({ store, config, clock }: OperatorContext, { personId }: Person): Promise<PersonSession[]> {
  return listPersonSessions(store.read, personId, countingAt(clock(), config.console.idleMinutes * 60_000))
}

/** Ends a session of a person. */
export async function signOut(context: OperatorContext, { personId }: Person, sessionId: string): Promise<void> {
  const store = auditedStore(context, { task: 'people.sign-out', subject: sessionId })
  await store.transaction((tx) => deletePersonSession(tx, personId, sessionId))
}

/** Ends every session of a person but one. */
export async function signOutElsewhere(context: OperatorContext, { person, session }: SignedIn): Promise<void> {
  const store = auditedStore(context, { task: 'people.sign-out-elsewhere', subject: person.username })
  await store.transaction((tx) => deletePersonSessions(tx, person.personId, session.sessionId))
}

function countingAt(now: Date, idleMs: number): Counting {
  return { now, idleSince: new Date(now.getTime() - idleMs) }
}
