import type { SealedAddress } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../database.ts'

/** Gives the whole of a stored address of public keys. */
export type OpenAddress = (address: SealedAddress, place: string) => string

/** An address as answers, lists and logs show it. */
export const shownAddress: OpenAddress = ({ url }) => url

/** Names the row of an agent's key set, so that its query opens nowhere else. */
export function keySourcePlace(tenantId: string, principalId: string): string {
  return `agent-key-source ${JSON.stringify([tenantId, principalId])}`
}

/** The same of a token issuer's key set. */
export function issuerPlace(tenantId: string, issuer: string): string {
  return `jwt-issuer ${JSON.stringify([tenantId, issuer])}`
}

/** Seals the queries of addresses of public keys that were stored before queries were sealed. */
export async function sealKeyAddresses(tx: Db, seal: (url: string, place: string) => SealedAddress): Promise<void> {
  const sources = await tx
    .selectFrom('agent_key_sources')
    .select(['tenant_id', 'principal_id', 'value'])
    .where('kind', '=', 'jwks_uri')
    .where('value', 'like', '%?%')
    .execute()
  for (const { tenant_id, principal_id, value } of sources) {
    const { url, query = null } = seal(value, keySourcePlace(tenant_id, principal_id))
    await tx
      .updateTable('agent_key_sources')
      .set({ value: url, query })
      .where('tenant_id', '=', tenant_id)
      .where('principal_id', '=', principal_id)
      .where('kind', '=', 'jwks_uri')
      .execute()
  }
  const issuers = await tx
    .selectFrom('jwt_issuers')
    .select(['tenant_id', 'issuer', 'jwks_uri'])
    .where('jwks_uri', 'like', '%?%')
    .execute()
  for (const { tenant_id, issuer, jwks_uri } of issuers) {
    const { url, query = null } = seal(jwks_uri, issuerPlace(tenant_id, issuer))
    await tx
      .updateTable('jwt_issuers')
      .set({ jwks_uri: url, jwks_query: query })
      .where('tenant_id', '=', tenant_id)
      .where('issuer', '=', issuer)
      .execute()
  }
}
