import { newKey } from '../../security/auth/opaque-key.ts'
import type { Db } from '../../store/database.ts'
import { addKey, listKeys } from '../../store/identity/api-keys.ts'
import { missingBuyer } from '../../store/identity/missing-buyer.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import type { Change, Watching } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { endOrSpan } from '../moment.ts'
import { NAMED_BUYER, namedBuyer } from '../named-buyer.ts'
import { about, listOf, named, type Of, object, orNull, string } from '../shape.ts'

/** The field that says until when a key works. */
export const EXPIRES = endOrSpan('a last day, in the time zone of the publisher, or a time, or a span such as 90d or 12h')

/** A key as its owner gets it. */
export const issuedKey = named(
  'IssuedKey',
  about(
    'A key as its owner gets it.',
    object({
      key_id: string,
      token: about('Shown once.', string),
      tenant: string,
      ...NAMED_BUYER,
      scopes: listOf(string),
      expires_at: about('ISO 8601; null: it does not end.', orNull(string)),
    }),
  ),
)
export type IssuedKey = Of<typeof issuedKey>

/** Whose key, with which scopes, and until when. */
export interface KeyOrder {
  readonly tenantId: string
  readonly buyer: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date | undefined
}

/** Makes and stores a key of an existing buyer. Throws REFERENCE_NOT_FOUND. */
export async function issueKey(tx: Db, { tenantId, buyer, scopes, expiresAt }: KeyOrder, now: Date): Promise<IssuedKey> {
  if (!(await findPrincipal(tx, tenantId, buyer))) throw missingBuyer(tenantId, buyer)
  const key = newKey()
  const expires = expiresAt?.toISOString() ?? null
  await addKey(tx, {
    key_hash: key.hash,
    key_id: key.keyId,
    tenant_id: tenantId,
    principal_id: buyer,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: JSON.stringify(scopes),
    created_at: now.toISOString(),
    expires_at: expires,
  })
  return { key_id: key.keyId, token: key.token, tenant: tenantId, ...namedBuyer(buyer), scopes, expires_at: expires }
}

/** A new key for the audit log: what it may do, and until when. */
export function newKeyIn({ key_id: id, scopes, expires_at: expires }: IssuedKey): Readonly<Record<string, Change>> {
  return changedMembers({}, { new_key: { id, scopes, expires_at: expires } })
}

/** How long a key works, for the audit log; undefined for an unknown one. */
export async function watchedKey(tx: Db, { tenantId }: Watching, { key }: { readonly key: string }): Promise<object | undefined> {
  const known = (await listKeys(tx, tenantId)).find((row) => row.key_id === key)
  return known && { expires_at: known.expires_at, revoked_at: known.revoked_at }
}

/** A new key as the command line shows it. */
export function issuedLines(issued: IssuedKey): readonly string[] {
  return [
    `key ${issued.key_id} for ${issued.buyer} of ${issued.tenant}${issued.expires_at === null ? '' : `, until ${issued.expires_at}`}`,
    '',
    `  ${issued.token}`,
    '',
    'It is shown this once; only its hash is stored.',
  ]
}
