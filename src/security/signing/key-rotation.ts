import type { Db } from '../../store/database.ts'
import { deleteSigningKey, listSigningKeys, type SigningKeyRow, setSigningKeyState } from '../../store/identity/signing-keys.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { KeyPurpose } from './key-provider.ts'
import { addSigningKey } from './stored-keys.ts'

/**
 * A key is published for this long before it signs: receivers may keep the key set for five minutes, and AdCP lets them be slower (its
 * polling ceiling is 30 minutes).
 */
export const LEAD_MS = 30 * 60_000

/** A retired key stays published for this long: what it signed last is verified by then. */
export const LINGER_MS = 24 * 60 * 60_000

/** Approvals are verified as long as a campaign reports: 30 days after the last one was signed (AdCP JWS profile). */
const GOVERNANCE_LINGER_MS = 31 * LINGER_MS

/** What a rotation did. */
export type Rotation =
  /** A new key is published; it may sign from `readyAt` on. */
  | { readonly step: 'announced'; readonly kid: string; readonly readyAt: Date }
  /** The announced key is not known everywhere yet. */
  | { readonly step: 'waiting'; readonly kid: string; readonly readyAt: Date }
  /** The announced key signs now; the one before stays published for a day. */
  | { readonly step: 'switched'; readonly kid: string; readonly retired: readonly string[] }

/**
 * One step of a rotation with overlap: the first call announces a new key, the second, once receivers had the time to see it, lets it
 * sign and retires the old one. Retired keys that are no longer needed are deleted.
 */
export async function rotate(tx: Db, box: SecretBox, purpose: KeyPurpose, now: Date, subject = ''): Promise<Rotation> {
  await forgetRetired(tx, purpose, now)
  const rows = await listSigningKeys(tx, purpose, subject)
  const next = rows.find((row) => row.state === 'next')
  if (!next) {
    const kid = await addSigningKey(tx, box, purpose, 'next', now, subject)
    return { step: 'announced', kid, readyAt: readyAt(now.toISOString()) }
  }
  if (readyAt(next.created_at) > now) return { step: 'waiting', kid: next.kid, readyAt: readyAt(next.created_at) }
  const retired = rows.filter((row) => row.state === 'active').map((row) => row.kid)
  for (const kid of retired) await setSigningKeyState(tx, kid, 'retired', now)
  await setSigningKeyState(tx, next.kid, 'active', now)
  return { step: 'switched', kid: next.kid, retired }
}

/**
 * After a private key may have leaked: every key of the purpose goes at once, published or not, and a new one signs. Receivers that
 * still hold the old key set refuse us until they look again.
 */
export async function replaceCompromised(
  tx: Db,
  box: SecretBox,
  purpose: KeyPurpose,
  now: Date,
  subject = '',
): Promise<Rotation> {
  const rows = await listSigningKeys(tx, purpose, subject)
  for (const row of rows) await deleteSigningKey(tx, row.kid)
  const kid = await addSigningKey(tx, box, purpose, 'active', now, subject)
  return { step: 'switched', kid, retired: rows.map((row) => row.kid) }
}

async function forgetRetired(tx: Db, purpose: KeyPurpose, now: Date): Promise<void> {
  // What it attested holds as long as its grant.
  if (purpose === 'attestation-signing') return
  const lingerMs = purpose === 'governance-signing' ? GOVERNANCE_LINGER_MS : LINGER_MS
  const isForgotten = ({ state, retired_at }: SigningKeyRow) =>
    state === 'retired' && retired_at !== null && now.getTime() - Date.parse(retired_at) > lingerMs
  for (const row of (await listSigningKeys(tx, purpose)).filter(isForgotten)) await deleteSigningKey(tx, row.kid)
}

function readyAt(createdAt: string): Date {
  return new Date(Date.parse(createdAt) + LEAD_MS)
}
