import { randomBytes } from 'node:crypto'
import { FACTOR_NAMES } from '../../domain/people/second-factor.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { newTotpSecret, qrCode, totpAddress, totpStep } from '../../security/auth/one-time-code.ts'
import { creationOptions, readNewPasskey } from '../../security/auth/passkey.ts'
import { newRecoveryCodes } from '../../security/auth/recovery-codes.ts'
import type { Db } from '../../store/database.ts'
import {
  deletePasskey,
  deleteTotp,
  findFactors,
  insertPasskey,
  type PersonFactors,
  replaceRecoveryCodes,
  saveTotp,
  totpPlace,
} from '../../store/people/person-factors.ts'
import { deletePersonSessions, setSessionFactor } from '../../store/people/person-sessions.ts'
import { auditedStore } from '../audited-store.ts'
import { checkedValues } from '../check-fields.ts'
import { atMost, required, text } from '../fields.ts'
import { consoleAddressOf } from '../notifications/console-address.ts'
import type { OperatorContext } from '../operator-context.ts'
import { listTenants } from '../tenants/list-tenants.ts'
import { inForm } from '../text-form.ts'
import { PERSON_NAME } from './accept-invitation.ts'
import { hasFactor, relyingPartyOf } from './half-sign-in.ts'
import { requiresFactor } from './required-factor.ts'
import type { SignedIn } from './sessions.ts'
import { tellPerson } from './tell-person.ts'

/** How long ago a person may have signed in who changes their factors: an open browser that somebody else finds changes none. */
const RECENT_MS = 15 * 60_000
/** The same, as people say it. */
export const RECENT_TEXT = '15 minutes'
/** Time to set up an app or a passkey. */
const SET_UP_MS = 15 * 60_000
/** More than anybody has devices. */
const MOST_PASSKEYS = 20

/** The field of the name of a passkey. */
export const PASSKEY_NAME = required(inForm(PERSON_NAME, atMost(60, text('name of the passkey'))))

/** What a page of setting up carries until it is sent back, sealed for its session. */
interface Ticket {
  /** Secret of the app, or challenge of the passkey. */
  readonly secret: string
  readonly until: number
}

/** What an authenticator app is set up with. */
export interface TotpSetUp {
  readonly ticket: string
  readonly secret: string
  /** `otpauth://…` */
  readonly address: string
  /** The address as a QR code: that of an image. */
  readonly qr: string
}

/** What a browser makes a passkey with. */
export interface PasskeySetUp {
  readonly ticket: string
  readonly options: object
}

/** Whether a person has signed in so lately that they may change their factors. */
export function isRecent({ clock }: Pick<OperatorContext, 'clock'>, { session }: SignedIn): boolean {
  return clock().getTime() - Date.parse(session.createdAt) <= RECENT_MS
}

export function ownFactors({ store }: OperatorContext, { person }: SignedIn): Promise<PersonFactors> {
  return findFactors(store.read, person.personId)
}

/** What a new authenticator app is set up with; with a ticket that is still good, the same again. */
export async function setUpTotp(context: OperatorContext, signedIn: SignedIn, earlier?: string): Promise<TotpSetUp> {
  const known = earlier === undefined ? undefined : await openTicket(context, signedIn, 'totp', earlier)
  const secret = known ?? (await newTotpSecret())
  const address = await totpAddress(secret, new URL(consoleAddressOf(context.config)).host, signedIn.person.username)
  const ticket = known === undefined ? await sealTicket(context, signedIn, 'totp', secret) : (earlier ?? '')
  return { ticket, secret, address, qr: await qrCode(address) }
}

/**
 * Sets an authenticator app, once a code shows that it works; it takes the place of the one before, and other sessions end. Gives recovery codes with the first factor. Throws
 * INVALID_REQUEST for a wrong code.
 */
export async function addTotp(
  context: OperatorContext,
  signedIn: SignedIn,
  { ticket, code }: { readonly ticket: string; readonly code: string },
): Promise<readonly string[]> {
  const secret = await openTicket(context, signedIn, 'totp', ticket)
  if (secret === undefined) throw lateSetUp()
  const step = await totpStep(secret, code, context.clock())
  if (step === undefined) throw new AdcpError('INVALID_REQUEST', 'this code does not fit; take the one that the app shows now')
  const { personId } = signedIn.person
  const sealed = (await context.services.factorBox()).seal(secret, totpPlace(personId))
  return add(context, signedIn, 'totp', (tx) => saveTotp(tx, { personId, secret: sealed, lastStep: step }, context.clock()))
}

/** What a browser makes a new passkey with; undefined: none can be used at this address. */
export async function setUpPasskey(context: OperatorContext, signedIn: SignedIn): Promise<PasskeySetUp | undefined> {
  const party = relyingPartyOf(context)
  if (!party) return undefined
  const challenge = randomBytes(32).toString('base64url')
  const { passkeys } = await ownFactors(context, signedIn)
  const ticket = await sealTicket(context, signedIn, 'passkey', challenge)
  return { ticket, options: creationOptions(party, signedIn.person, passkeys, challenge) }
}

/** Adds a passkey; other sessions end. Gives recovery codes with the first factor. Throws INVALID_REQUEST for one that does not count, or a name that is none. */
export async function addPasskey(
  context: OperatorContext,
  signedIn: SignedIn,
  { ticket, name, response }: { readonly ticket: string; readonly name: string; readonly response: string },
): Promise<readonly string[]> {
  const { name: checkedName } = checkedValues({ name }, { name: PASSKEY_NAME })
  const challenge = await openTicket(context, signedIn, 'passkey', ticket)
  const party = relyingPartyOf(context)
  if (challenge === undefined || !party) throw lateSetUp()
  const made = await readNewPasskey(party, response, challenge)
  if (!made) throw new AdcpError('INVALID_REQUEST', 'the browser made no passkey that counts here; try again')
  const { personId } = signedIn.person
  return add(context, signedIn, 'passkey', async (tx) => {
    const { passkeys } = await findFactors(tx, personId)
    if (passkeys.length >= MOST_PASSKEYS)
      throw new AdcpError('INVALID_STATE', `you have ${MOST_PASSKEYS} passkeys; remove one first`)
    if (!(await insertPasskey(tx, { ...made, personId, name: checkedName }, context.clock())))
      throw new AdcpError('INVALID_STATE', 'this passkey is known already')
  })
}

/** Takes the app away, or a passkey; other sessions end. Throws INVALID_STATE for the last factor of somebody who needs one. */
export async function removeFactor(
  context: OperatorContext,
  signedIn: SignedIn,
  which: { readonly kind: 'totp' } | { readonly kind: 'passkey'; readonly credentialId: string },
): Promise<void> {
  const { person, session } = signedIn
  const isNeeded = requiresFactor(context.config, await listTenants(context), person, 'password')
  const store = auditedStore(context, { task: 'people.remove-factor', subject: person.username })
  await store.transaction(async (tx) => {
    const wasThere = await (which.kind === 'totp'
      ? deleteTotp(tx, person.personId)
      : deletePasskey(tx, person.personId, which.credentialId))
    if (!wasThere) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such second factor; it may be removed already')
    if (!hasFactor(await findFactors(tx, person.personId))) {
      if (isNeeded)
        throw new AdcpError('INVALID_STATE', 'your role needs a second factor: add another one before you remove the last')
      await replaceRecoveryCodes(tx, person.personId, [])
    }
    await deletePersonSessions(tx, person.personId, session.sessionId)
    await tellPerson(tx, person, `${FACTOR_NAMES[which.kind]} was removed from your account.`, context.clock())
  })
}

/** New recovery codes in place of those from before. Throws INVALID_STATE for somebody without a second factor. */
export async function renewRecoveryCodes(context: OperatorContext, { person }: SignedIn): Promise<readonly string[]> {
  const store = auditedStore(context, { task: 'people.recovery-codes', subject: person.username })
  return store.transaction(async (tx) => {
    if (!hasFactor(await findFactors(tx, person.personId)))
      throw new AdcpError('INVALID_STATE', 'recovery codes come with a second factor: add one first')
    return giveRecoveryCodes(tx, person.personId)
  })
}

/** Stores a factor. The session counts as one with it from now on; the first factor brings recovery codes. */
async function add(
  context: OperatorContext,
  { person, session }: SignedIn,
  kind: 'totp' | 'passkey',
  save: (tx: Db) => Promise<void>,
): Promise<readonly string[]> {
  const store = auditedStore(context, { task: 'people.add-factor', subject: person.username })
  return store.transaction(async (tx) => {
    const before = await findFactors(tx, person.personId)
    await save(tx)
    await deletePersonSessions(tx, person.personId, session.sessionId)
    await setSessionFactor(tx, session.sessionId, kind)
    await tellPerson(tx, person, `${FACTOR_NAMES[kind]} was added to your account.`, context.clock())
    return hasFactor(before) ? [] : giveRecoveryCodes(tx, person.personId)
  })
}

async function giveRecoveryCodes(tx: Db, personId: string): Promise<readonly string[]> {
  const made = newRecoveryCodes(personId)
  await replaceRecoveryCodes(
    tx,
    personId,
    made.map(({ hash }) => hash),
  )
  return made.map(({ code }) => code)
}

function lateSetUp(): AdcpError {
  return new AdcpError('INVALID_REQUEST', 'this page is older than 15 minutes or of another session; begin again')
}

function placeOf({ session }: SignedIn, kind: 'totp' | 'passkey'): string {
  return `set up ${kind}/${session.sessionId}`
}

async function sealTicket(context: OperatorContext, signedIn: SignedIn, kind: 'totp' | 'passkey', secret: string) {
  const ticket: Ticket = { secret, until: context.clock().getTime() + SET_UP_MS }
  return (await context.services.factorBox()).seal(JSON.stringify(ticket), placeOf(signedIn, kind))
}

/** undefined for one that is over, or that was made for something else. */
async function openTicket(
  context: OperatorContext,
  signedIn: SignedIn,
  kind: 'totp' | 'passkey',
  sealed: string,
): Promise<string | undefined> {
  const box = await context.services.factorBox()
  try {
    const { secret, until }: Ticket = JSON.parse(box.open(sealed, placeOf(signedIn, kind)))
    return until > context.clock().getTime() ? secret : undefined
  } catch {
    return undefined
  }
}
