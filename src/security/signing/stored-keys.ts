import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Db, Store } from '../../store/database.ts'
import { findActiveKey, insertSigningKey, listSigningKeys, type SigningKeyRow } from '../../store/identity/signing-keys.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { type PublishedJwk, readJwks } from './jwk.ts'
import type { KeyProvider, KeyPurpose } from './key-provider.ts'
import { type Signer, signerOfJwk } from './sign.ts'

/** A rotation by another process is followed within this time. */
const REMEMBER_MS = 30_000
/** Keys in memory: three of the deployment, and one of each brand that is asked about. */
const MAX_REMEMBERED = 256

/** Keys of the store, private parts sealed by `box`. */
export function storedKeys(store: Store, box: SecretBox, clock: () => Date): KeyProvider {
  const remembered = new LRUCache<string, { readonly signer: Signer; readonly until: number }>({ max: MAX_REMEMBERED })
  const signerFor = async (purpose: KeyPurpose, subject: string): Promise<Signer | undefined> => {
    const name = `${purpose} ${subject}`
    const known = remembered.get(name)
    const now = clock().getTime()
    if (known && now < known.until) return known.signer
    const row = await findActiveKey(store.read, purpose, subject)
    if (!row) return undefined
    const signer = signerOf(row, box)
    remembered.set(name, { signer, until: now + REMEMBER_MS })
    return signer
  }
  const signer = async (purpose: KeyPurpose, subject = ''): Promise<Signer> => {
    const found = await signerFor(purpose, subject)
    if (!found) throw new Error(`there is no active key for ${purpose}`)
    return found
  }
  return {
    signer,
    async brandSigner(purpose, subject) {
      const found = await signerFor(purpose, subject)
      if (found) return found
      await store.transaction((tx) => ensureSigningKey(tx, box, purpose, clock(), subject))
      return signer(purpose, subject)
    },
    async published() {
      const rows = await listSigningKeys(store.read)
      return readJwks({ keys: rows.map((row) => JSON.parse(row.public_jwk)) }) ?? []
    },
  }
}

/** Makes the first key of a purpose and subject; a store that has one keeps it. Returns the kid of a key made now. */
export async function ensureSigningKey(
  tx: Db,
  box: SecretBox,
  purpose: KeyPurpose,
  now: Date,
  subject = '',
): Promise<string | undefined> {
  return (await findActiveKey(tx, purpose, subject)) ? undefined : addSigningKey(tx, box, purpose, 'active', now, subject)
}

/**
 * Makes an Ed25519 key (RFC 8037) and stores it, its private part sealed. The kid is its RFC 7638 thumbprint, so it names this key and no other.
 */
export async function addSigningKey(
  tx: Db,
  box: SecretBox,
  purpose: KeyPurpose,
  state: SigningKeyRow['state'],
  now: Date,
  subject = '',
): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { kty, crv, x, d } = privateKey.export({ format: 'jwk' })
  if (kty !== 'OKP' || crv !== 'Ed25519' || x === undefined || d === undefined) throw new Error('no Ed25519 key was made')
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  const jwk: PublishedJwk = { kid, kty, crv, alg: 'EdDSA', use: 'sig', key_ops: ['verify'], adcp_use: purpose, x }
  await insertSigningKey(tx, {
    kid,
    purpose,
    subject,
    state,
    public_jwk: JSON.stringify(jwk),
    private_jwk: box.seal(JSON.stringify({ kty, crv, x, d, alg: 'EdDSA', kid }), signingKeyPlace(kid)),
    created_at: now.toISOString(),
    retired_at: null,
  })
  return kid
}

function signerOf(row: SigningKeyRow, box: SecretBox): Signer {
  const jwk: JsonWebKey & { kid: string } = JSON.parse(box.open(row.private_jwk, signingKeyPlace(row.kid)))
  return signerOfJwk(jwk)
}

/** The row that the private part of a key is sealed for. */
export function signingKeyPlace(kid: string): string {
  return `signing_keys/${kid}`
}
