import { randomBytes } from 'node:crypto'
import type { Person } from '../../domain/people/person.ts'
import type { FactorKind, SignInWay } from '../../domain/people/second-factor.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { totpStep } from '../../security/auth/one-time-code.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import { type RelyingParty, readPasskeyUse, relyingPartyAt, requestOptions } from '../../security/auth/passkey.ts'
import { recoveryCodeHash } from '../../security/auth/recovery-codes.ts'
import type { Db } from '../../store/database.ts'
import { findHalfSignIn, insertHalfSignIn, takeHalfSignIn } from '../../store/people/half-sign-ins.ts'
import { findPerson } from '../../store/people/people.ts'
import {
  countWrongCode,
  findFactors,
  forgetWrongCodes,
  type PersonFactors,
  takePasskeyCounter,
  takeRecoveryCode,
  takeTotpStep,
  totpPlace,
} from '../../store/people/person-factors.ts'
import { consoleAddressOf } from '../notifications/console-address.ts'
import type { OperatorContext } from '../operator-context.ts'
import { listTenants } from '../tenants/list-tenants.ts'
import { requiresFactor } from './required-factor.ts'
import { type Browser, beginSession, type NewSession, newToken } from './sessions.ts'
import { tellPerson } from './tell-person.ts'

/** Time between the password and the second factor: enough to find a telephone. */
const HALF_MS = 5 * 60_000
/** Wrong second factors that cost no waiting, from one address and for one person at it. Passwords are counted apart: who guesses those does not slow this down. */
const FACTORS = { realm: 'console factor ', terms: { failuresPerAddress: 20, failuresPerCredential: 5 } }
/** NIST SP 800-63B-4 §3.2.2: no more wrong ones in a row, wherever they come from. Each is right by chance once in 333,333 times. */
const MOST_WRONG_CODES = 100

/** A sign-in after its first part. The token goes into the cookie and nowhere else: of a session, or, `isHalf`, of a browser in which a second factor is still asked for. */
export interface BegunSignIn {
  readonly token: string
  readonly isHalf: boolean
}

/** A sign-in that waits for a second factor. */
export interface OpenSignIn {
  readonly person: Person
  readonly tokenHash: string
  readonly way: SignInWay
  readonly factors: PersonFactors
  /** base64url */
  readonly challenge: string
}

/** What a person shows beside the password: a code, or what the browser made of a passkey. */
export interface ShownFactor {
  readonly kind: FactorKind
  readonly text: string
}

/** Goes on after password or provider: who has a second factor is asked for it. A sign-in at the provider is, where the settings ask for one there too. */
export async function beginSignIn(
  context: OperatorContext,
  person: Person,
  browser: Browser,
  way: SignInWay,
): Promise<BegunSignIn> {
  const { store, config, clock } = context
  const isAsked =
    hasFactor(await findFactors(store.read, person.personId)) &&
    (way === 'password' || requiresFactor(config, await listTenants(context), person, way))
  if (!isAsked) return { token: (await beginSession(context, person, browser, { way })).token, isHalf: false }
  const token = newToken()
  const half = {
    personId: person.personId,
    way,
    challenge: randomBytes(32).toString('base64url'),
    expiresAt: new Date(clock().getTime() + HALF_MS).toISOString(),
  }
  await store.transaction((tx) => insertHalfSignIn(tx, hashToken(token), half))
  return { token, isHalf: true }
}

/** Recovery codes alone are none: they come with a factor and go with the last one. */
export function hasFactor({ totp, passkeys }: PersonFactors): boolean {
  return totp !== undefined || passkeys.length > 0
}

/** The sign-in that waits in the browser with this token; undefined: it is over. */
export async function findOpenSignIn({ store, clock }: OperatorContext, token: string): Promise<OpenSignIn | undefined> {
  const tokenHash = hashToken(token)
  const half = await findHalfSignIn(store.read, tokenHash, clock())
  const person = half && (await findPerson(store.read, half.personId))
  if (!half || !person?.isActive) return undefined
  const { way, challenge } = half
  return { person, tokenHash, way, challenge, factors: await findFactors(store.read, person.personId) }
}

/** The server as browsers know it for passkeys; undefined: none can be used at its address. */
export function relyingPartyOf({ config }: Pick<OperatorContext, 'config'>): RelyingParty | undefined {
  return relyingPartyAt(consoleAddressOf(config))
}

/** What a browser asks a passkey of the person with; undefined: there is none that it could ask. */
export function passkeyQuestion(context: OperatorContext, { factors, challenge }: OpenSignIn): object | undefined {
  const party = relyingPartyOf(context)
  return party && factors.passkeys.length > 0 ? requestOptions(party, factors.passkeys, challenge) : undefined
}

/**
 * Begins the session of a sign-in that waited, once its person shows a second factor. Throws AUTH_INVALID for one that does not count, RATE_LIMITED after too many of
 * these, and AUTH_REQUIRED for a sign-in that is over.
 */
export async function finishSignIn(
  context: OperatorContext,
  open: OpenSignIn,
  shown: ShownFactor,
  { browser, guard }: { readonly browser: Browser; readonly guard: GuessGuard },
): Promise<NewSession> {
  const { person } = open
  const attempt = { ...FACTORS, address: browser.address, name: person.username }
  const session = await guard.judge(
    attempt,
    context.clock(),
    () => sessionBy(context, open, shown, browser),
    (found) => (found ? 'right' : 'wrong'),
  )
  if (!session) throw new AdcpError('AUTH_INVALID', WRONG[shown.kind])
  return session
}

const WRONG: Readonly<Record<FactorKind, string>> = {
  totp: 'this code is wrong, was used before or is over; take the next one that the app shows',
  passkey: 'this passkey does not count here; try again, or use another way',
  recovery: 'this recovery code is wrong or was used before',
}

/** Rolls back what a factor that does not count has begun. */
class Uncounted extends Error {}

async function sessionBy(
  context: OperatorContext,
  open: OpenSignIn,
  shown: ShownFactor,
  browser: Browser,
): Promise<NewSession | undefined> {
  const { person, tokenHash, way } = open
  const use = await useOf(context, open, shown)
  const first = async (tx: Db) => {
    if (!(await takeHalfSignIn(tx, tokenHash)))
      throw new AdcpError(
        'AUTH_REQUIRED',
        'this sign-in is over: it took longer than five minutes, or has succeeded; start again',
      )
    if (!(await use?.(tx))) throw new Uncounted()
    if (shown.kind !== 'totp') await forgetWrongCodes(tx, person.personId)
    if (shown.kind === 'recovery')
      await tellPerson(tx, person, 'A recovery code was used to sign in to your account.', context.clock())
  }
  try {
    if (use) return await beginSession(context, person, browser, { way, factor: shown.kind }, first)
  } catch (error) {
    if (!(error instanceof Uncounted)) throw error
  }
  if (shown.kind === 'totp') await context.store.transaction((tx) => countWrongCode(tx, person.personId))
  return undefined
}

/** Uses a factor up in a transaction, and gives false when somebody was faster; undefined: it is wrong. */
async function useOf(
  context: OperatorContext,
  { person: { personId }, factors, challenge }: OpenSignIn,
  { kind, text }: ShownFactor,
): Promise<((tx: Db) => Promise<boolean>) | undefined> {
  const now = context.clock()
  if (kind === 'recovery') return (tx) => takeRecoveryCode(tx, personId, recoveryCodeHash(personId, text))
  if (kind === 'passkey') {
    const party = relyingPartyOf(context)
    const use = party && (await readPasskeyUse(party, text, factors.passkeys, challenge))
    return use && ((tx) => takePasskeyCounter(tx, use.passkey, use.counter, now))
  }
  const { totp } = factors
  if (!totp) return undefined
  if (totp.wrongCodes >= MOST_WRONG_CODES)
    throw new AdcpError(
      'INVALID_STATE',
      `${MOST_WRONG_CODES} wrong codes were sent in a row, so codes of the app count no longer; use a passkey or a recovery code, or ask an administrator`,
    )
  const box = await context.services.factorBox()
  const step = await totpStep(box.open(totp.secret, totpPlace(personId)), text, now)
  return step === undefined ? undefined : (tx) => takeTotpStep(tx, totp, step, now)
}
