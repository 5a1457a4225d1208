import { nonceOwnerOf, type ReplayStore } from '../../domain/identity/replay-store.ts'
import { SignatureError, SignatureFault } from './challenge.ts'
import {
  checkAlgorithm,
  checkAsciiAuthority,
  checkComponents,
  checkDigest,
  checkSignature,
  checkTag,
  checkWindow,
  type ReceivedMessage,
  requireParams,
  resolveContent,
} from './checklist.ts'
import { type HeaderFields, headerFields } from './header-fields.ts'
import { checkKeyPurpose, keyThumbprint } from './jwk.ts'
import { countsAt, type KeySource, type ResolvedKey, signerAmong } from './keys.ts'
import { isSigned, parseSignature, type SignatureParams } from './parse-signature.ts'
import { CLOCK_SKEW_SECONDS, DEFAULT_ALGORITHMS, type SignatureAlgorithm, type SigningProfile } from './profile.ts'
import type { RevocationSource } from './revocation.ts'

export type { ReceivedMessage } from './checklist.ts'

export interface VerifyOptions {
  readonly profile: SigningProfile
  readonly keys: KeySource
  readonly replay: ReplayStore
  readonly revocations: RevocationSource
  /** Whether any JSON object of the body names a member twice; false for a body that is not JSON. */
  readonly hasDuplicateKey: (body: Uint8Array) => boolean
  /** Widening it to `rsa-pss-sha512` is an operator's explicit choice. */
  readonly algorithms?: readonly SignatureAlgorithm[]
  /** The publisher that a URL addresses, which decides among agents of which each has the key. */
  readonly publisherAt?: (url: string) => Promise<string | undefined>
}

/** Who signed. `agentUrl` comes from where the key was found, never from the message. */
export interface VerifiedSigner {
  readonly keyid: string
  readonly agentUrl: string
  /** Publishers for which the key speaks for the agent; undefined: for all. */
  readonly tenantIds: readonly string[] | undefined
  readonly verifiedAtSeconds: number
}

/**
 * Verifies a message against the AdCP RFC 9421 profile. Gives the signer, or undefined for a message that makes no claim to be
 * signed: whether it had to be is policy (see `requirement.ts`). Throws {@link SignatureError} (HTTP 401 with its challenge).
 */
export async function verifySignature(
  message: ReceivedMessage,
  nowSeconds: number,
  options: VerifyOptions,
): Promise<VerifiedSigner | undefined> {
  if (!isSigned(message.rawHeaders)) return undefined
  try {
    return await runChecklist(message, headerFields(message.rawHeaders), Math.floor(nowSeconds), options)
  } catch (error) {
    if (error instanceof SignatureFault) throw new SignatureError(options.profile.name, error)
    throw error
  }
}

/**
 * Holds a verified message to a profile that is stricter in form than the one it was verified under: the encoding of its bytes and what it covers (steps
 * 1 and 6). Throws {@link SignatureError}.
 */
export function checkForm(message: ReceivedMessage, profile: SigningProfile): void {
  try {
    checkComponents(parseSignature(headerFields(message.rawHeaders), profile.accepted).components, message, profile)
  } catch (error) {
    if (error instanceof SignatureFault) throw new SignatureError(profile.name, error)
    throw error
  }
}

/**
 * The verifier checklist of AdCP, in its order, which is observable and part of the profile: everything cheap before the key,
 * revocation and cap before cryptography, the nonce burned after it, the body's text last.
 */
async function runChecklist(
  message: ReceivedMessage,
  fields: HeaderFields,
  now: number,
  options: VerifyOptions,
): Promise<VerifiedSigner> {
  const { profile, keys, replay, revocations, hasDuplicateKey, algorithms = DEFAULT_ALGORITHMS } = options

  checkAsciiAuthority(message.url, fields, profile) //                          1
  const parsed = parseSignature(fields, profile.accepted) //                    1
  const params = requireParams(parsed.params) //                                2
  checkTag(params, profile) //                                                  3
  const algorithm = checkAlgorithm(params, algorithms) //                       4
  checkWindow(params, now) //                                                   5
  checkComponents(parsed.components, message, profile) //                       6
  const publisherOf = publisherWhereItCounts(message.url, options)
  const key = await signingKey({ keys, publisherOf }, params, now, async (candidate) => {
    checkKeyPurpose(candidate.jwk, algorithm, profile.keyUses) //               8
    await checkRevocation(revocations, candidate, now) //                       9
    await checkCap(replay, candidate, now) //                                   9a
    const content = resolveContent(message, fields) //                          10
    checkSignature(parsed, algorithm, candidate, content) //                    10
  }) //                                                                         7
  checkDigest(parsed, message.body) //                                          11
  await burnNonce(replay, key, params, now) //                                  12, 13
  checkBody(message, hasDuplicateKey) //                                        14

  return { keyid: params.keyid, agentUrl: key.agentUrl, tenantIds: key.tenantIds, verifiedAtSeconds: now }
}

/** The publisher that is addressed, where it decides anything about some keys. */
type PublisherOf = (keys: readonly ResolvedKey[]) => Promise<string | undefined>

/** Asks for the publisher once, and not of one key that counts for all: there is nothing to choose from. */
function publisherWhereItCounts(url: string, { publisherAt }: VerifyOptions): PublisherOf {
  let asked: Promise<string | undefined> | undefined
  return async (keys) => {
    if (keys.length < 2 && keys.every(({ tenantIds }) => tenantIds === undefined)) return undefined
    asked ??= publisherAt?.(url)
    return asked
  }
}

/** Keys under one `keyid` that are tried: nobody has so many by chance. */
const MOST_CANDIDATES = 16

/**
 * The key that signed. A `keyid` is chosen by whoever publishes a key, so that several agents may have keys under one: the signature says whose it is. Throws the
 * fault of the first key when none of them signed. A key in memory that counts for other publishers alone may be a copy: the key of this publisher's agent is looked for then.
 */
async function signingKey(
  { keys, publisherOf }: { readonly keys: KeySource; readonly publisherOf: PublisherOf },
  { keyid }: SignatureParams,
  now: number,
  check: (key: ResolvedKey) => Promise<void>,
): Promise<ResolvedKey> {
  const first = keys.candidates ? await keys.candidates(keyid, now, true) : []
  const tried = await tryKeys(first, keyid, publisherOf, check)
  if (tried.key && countsAt(tried.key, await publisherOf([tried.key]))) return tried.key
  const asked = keys.candidates ? await keys.candidates(keyid, now, false) : [(await keys.find(keyid, now)) ?? []].flat()
  const isNew = asked.length > first.length || first.length === 0
  const again = isNew ? await tryKeys(asked, keyid, publisherOf, check) : tried
  if (again.key) return again.key
  throw again.fault ?? new SignatureFault('signature_key_unknown', 'keyid belongs to no registered agent')
}

async function tryKeys(
  candidates: readonly ResolvedKey[],
  keyid: string,
  publisherOf: PublisherOf,
  check: (key: ResolvedKey) => Promise<void>,
) {
  const signed: ResolvedKey[] = []
  let fault: unknown
  const named = candidates.filter(({ jwk }) => jwk.kid === keyid)
  const publisher = await publisherOf(named)
  const rank = (key: ResolvedKey) => (countsAt(key, publisher) ? 0 : 2) + (key.pinned ? 0 : 1)
  const ofId = named.toSorted((a, b) => rank(a) - rank(b))
  for (const key of inTurns(ofId).slice(0, MOST_CANDIDATES)) {
    try {
      await check(key)
      signed.push(key)
    } catch (error) {
      fault ??= error
    }
  }
  return { key: signerAmong(signed, publisher), fault }
}

/** Keys in an order in which each publisher that registered some has its turn: whoever registers many under the `keyid` of another one crowds nobody out. */
function inTurns(keys: readonly ResolvedKey[]): readonly ResolvedKey[] {
  const queues = new Map<string, ResolvedKey[]>()
  for (const key of keys)
    for (const publisher of key.tenantIds ?? ['']) {
      const queue = queues.get(publisher)
      if (queue) queue.push(key)
      else queues.set(publisher, [key])
    }
  const ordered = new Set<ResolvedKey>()
  for (let turn = 0; turn < keys.length && ordered.size < MOST_CANDIDATES; turn++)
    for (const queue of queues.values()) {
      const key = queue[turn]
      if (key) ordered.add(key)
    }
  return [...ordered]
}

async function checkRevocation(revocations: RevocationSource, key: ResolvedKey, now: number): Promise<void> {
  const status = await revocations.status(key, now)
  if (status === 'stale') throw new SignatureFault('signature_revocation_stale', 'revocation list is out of date')
  if (status === 'revoked') throw new SignatureFault('signature_key_revoked', 'key is revoked')
}

async function checkCap(replay: ReplayStore, key: ResolvedKey, now: number): Promise<void> {
  if (await replay.isFull(nonceOwner(key), now)) throw new SignatureFault('signature_rate_abuse', 'key has too many live nonces')
}

/** Whose nonces they are: a `keyid` is chosen by whoever publishes a key, and signatures of another key under it use up nothing of this one's. */
function nonceOwner({ jwk }: ResolvedKey): string {
  return nonceOwnerOf(keyThumbprint(jwk), jwk.kid)
}

/** A nonce lives as long as its signature can still pass step 5. */
async function burnNonce(replay: ReplayStore, key: ResolvedKey, { nonce, expires }: SignatureParams, now: number): Promise<void> {
  const outcome = await replay.insert(nonceOwner(key), nonce, expires + CLOCK_SKEW_SECONDS, now)
  if (outcome === 'replayed') throw new SignatureFault('signature_replayed', 'nonce was used before')
  if (outcome === 'full') throw new SignatureFault('signature_rate_abuse', 'key has too many live nonces')
}

function checkBody({ body, isStrictJson }: ReceivedMessage, hasDuplicateKey: VerifyOptions['hasDuplicateKey']): void {
  if (!isStrictJson && hasDuplicateKey(body)) throw new SignatureFault('body_malformed', 'a JSON object names a member twice')
}
