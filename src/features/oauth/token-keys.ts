import { generateKeyPairSync, hash } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { Db, Store } from '../../store/database.ts'
import { addOauthRecord, findOauthRecord, saveOauthRecord } from '../../store/identity/oauth-records.ts'

/** An Ed25519 key as a JWK (RFC 8037), with its private part. */
export interface TokenKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly alg: 'EdDSA'
  readonly use: 'sig'
  readonly kid: string
  readonly x: string
  readonly d: string
}

/** A key that signs access tokens from a moment on (Unix ms), until the next one does. */
export interface DatedKey {
  readonly key: TokenKey
  readonly signsFrom: number
}

/** Seconds that an access token counts. */
export const ACCESS_TOKEN_SECONDS = 3600
/** How often a process checks for keys that an operator has changed. */
export const LOOK_MS = 15_000
/** A new key is published this long before it signs: by then every process has loaded it. */
const LEAD_MS = 60_000

const KIND = 'SigningKey'
const ID = 'access-tokens'

/** Keys that tokens may still be signed by, newest first. One is made at the first start; every process of the deployment has the same. */
export async function tokenKeys(store: Store, box: SecretBox, now: Date): Promise<readonly DatedKey[]> {
  const known = await read(store.read, box, now)
  if (known.length > 0) return publishedKeys(known, now)
  const document = seal(box, [{ key: makeKey(), signsFrom: 0 }])
  await store.transaction((tx) => addOauthRecord(tx, { kind: KIND, id: ID, document }, now))
  const stored = await read(store.read, box, now)
  if (stored.length === 0) throw new Error('the key for access tokens was not stored')
  return stored
}

/** The key that signs at `now`, of keys with the newest first. */
export function signingKey(keys: readonly DatedKey[], now: Date): TokenKey {
  const signing = keys.find(({ signsFrom }) => signsFrom <= now.getTime()) ?? keys.at(-1)
  if (!signing) throw new Error('there is no key for access tokens')
  return signing.key
}

/** Without those whose last token has run out: a key stays for as long as a token counts after its successor began to sign. */
export function publishedKeys(keys: readonly DatedKey[], now: Date): readonly DatedKey[] {
  return keys.filter((_key, index) => {
    const successor = keys[index - 1]
    return successor === undefined || successor.signsFrom + ACCESS_TOKEN_SECONDS * 1000 + LEAD_MS > now.getTime()
  })
}

export interface KeyChange {
  readonly kid: string
  readonly signsFrom: Date
  /** Keys that tokens are still verified by. */
  readonly kept: readonly string[]
}

/**
 * Adds a key that signs within a minute; those before it stay until their last token has run out. With `compromised` they go, and every
 * token with them. Throws INVALID_STATE while the last new key does not sign yet.
 */
export async function rotateTokenKey(tx: Db, box: SecretBox, now: Date, { compromised = false } = {}): Promise<KeyChange> {
  const before = compromised ? [] : publishedKeys(await read(tx, box, now), now)
  const waiting = before.find(({ signsFrom }) => signsFrom > now.getTime())
  if (waiting) {
    const from = new Date(waiting.signsFrom).toISOString()
    throw new AdcpError('INVALID_STATE', `key ${waiting.key.kid} is new already; it signs from ${from}`)
  }
  const next = { key: makeKey(), signsFrom: before.length > 0 ? now.getTime() + LEAD_MS : 0 }
  await saveOauthRecord(tx, { kind: KIND, id: ID, document: seal(box, [next, ...before]) }, now)
  return {
    kid: next.key.kid,
    signsFrom: new Date(Math.max(next.signsFrom, now.getTime())),
    kept: before.map(({ key }) => key.kid),
  }
}

async function read(db: Db, box: SecretBox, now: Date): Promise<readonly DatedKey[]> {
  const record = await findOauthRecord(db, KIND, ID, now)
  if (!record) return []
  const stored: readonly DatedKey[] | TokenKey = JSON.parse(box.open(record.document, KIND))
  // Stores from before keys changed hold one, by itself.
  return 'kid' in stored ? [{ key: stored, signsFrom: 0 }] : stored
}

const seal = (box: SecretBox, keys: readonly DatedKey[]): string => box.seal(JSON.stringify(keys), KIND)

function makeKey(): TokenKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  // RFC 7638: the members in this order, and no others.
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x, d }
}
