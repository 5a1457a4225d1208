import { createHmac } from 'node:crypto'

/**
 * Names for identifiers of people that only this deployment can compute: hashes of addresses and phone numbers as buyers send them are recoverable from
 * dictionaries (AdCP privacy considerations), so they are not stored as they come.
 */
export interface Pseudonyms {
  /** The pseudonym of an identifier; the same within a tenant, another in every other. */
  of(tenantId: string, kind: string, value: string): string
}

/** HMAC-SHA-256 (RFC 2104). `key`: the lasting key of this purpose (lasting-keys.ts), so that people stay known when the deployment's secret is rotated. */
export function createPseudonyms(key: Buffer): Pseudonyms {
  return {
    of: (tenantId, kind, value) =>
      createHmac('sha256', key)
        .update(JSON.stringify([tenantId, kind, value]))
        .digest('base64url'),
  }
}
