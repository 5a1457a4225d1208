import { generateKeyPairSync, hash } from 'node:crypto'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Store } from '../store/database.ts'
import { addOauthRecord, findOauthRecord } from '../store/oauth-records.ts'

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

const KIND = 'SigningKey'
const ID = 'access-tokens'

/** The key that signs access tokens, made at the first start. Every process of the deployment gets the same. */
export async function tokenKey(store: Store, box: SecretBox, now: Date): Promise<TokenKey> {
  const known = await find(store, box, now)
  if (known) return known
  const document = box.seal(JSON.stringify(makeKey()), KIND)
  await store.transaction((tx) => addOauthRecord(tx, { kind: KIND, id: ID, document }, now))
  const kept = await find(store, box, now)
  if (!kept) throw new Error('the key for access tokens was not kept')
  return kept
}

async function find(store: Store, box: SecretBox, now: Date): Promise<TokenKey | undefined> {
  const record = await findOauthRecord(store.read, KIND, ID, now)
  return record && JSON.parse(box.open(record.document, KIND))
}

function makeKey(): TokenKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  // RFC 7638: the members in this order, and no others.
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x, d }
}
