import { compactJws } from './compact-jws.ts'
import type { Signer } from './sign.ts'

/** Exact `typ` of the list (AdCP security, "Revocation"). */
const LIST_TYPE = 'adcp-gov-revocation+jws'

/** Within AdCP's bounds for polling, 1 to 30 minutes. */
export const NEXT_UPDATE_SECONDS = 15 * 60

export interface Revoked {
  readonly jtis: readonly string[]
  readonly kids: readonly string[]
}

/** A governance agent's list of what it took back, as a compact JWS. Throws TypeError for a key of another algorithm. */
export async function signRevocationList(issuer: string, { jtis, kids }: Revoked, signer: Signer, now: Date): Promise<string> {
  const claims = {
    version: 1,
    issuer,
    updated: now.toISOString(),
    next_update: new Date(now.getTime() + NEXT_UPDATE_SECONDS * 1000).toISOString(),
    revoked_jtis: jtis,
    revoked_kids: kids,
  }
  return compactJws({ typ: LIST_TYPE }, claims, signer)
}
