import type { JwtIssuerSettings } from '../../domain/identity/jwt-issuer-settings.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { issuerPlace, type OpenAddress, shownAddress } from './key-addresses.ts'
import { findTenant } from './tenants.ts'

/** Trusts a token issuer for a tenant, or changes how; `jwksQuery` is the sealed rest of its address. Throws INVALID_REQUEST when another tenant has this issuer and audience. */
export async function saveJwtIssuer(
  tx: Db,
  settings: JwtIssuerSettings & { readonly jwksQuery?: string | undefined },
  now: Date,
): Promise<void> {
  const { tenantId, issuer, audience } = settings
  if (!(await findTenant(tx, tenantId))) throw new AdcpError('INVALID_REQUEST', `no tenant ${tenantId}`, { field: 'tenant' })
  const taken = (await listJwtIssuers(tx)).some(
    (other) => other.issuer === issuer && other.audience === audience && other.tenantId !== tenantId,
  )
  if (taken) throw new AdcpError('INVALID_REQUEST', 'another tenant trusts this issuer for this audience', { field: 'audience' })
  const values = {
    audience,
    jwks_uri: settings.jwksUri,
    jwks_query: settings.jwksQuery ?? null,
    algorithms: JSON.stringify(settings.algorithms),
    max_age_seconds: settings.maxAgeSeconds,
    foreign_scopes: settings.foreignScopes,
  }
  await tx
    .insertInto('jwt_issuers')
    .values({ tenant_id: tenantId, issuer, ...values, created_at: now.toISOString() })
    .onConflict((c) => c.columns(['tenant_id', 'issuer']).doUpdateSet(values))
    .execute()
}

/** Ends the trust in an issuer. Throws REFERENCE_NOT_FOUND. */
export async function removeJwtIssuer(tx: Db, tenantId: string, issuer: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('jwt_issuers')
    .where('tenant_id', '=', tenantId)
    .where('issuer', '=', issuer)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw unknownIssuer(tenantId, issuer)
}

/** Trusted issuers, of one tenant or of all; the addresses of their keys as `open` gives them. */
export async function listJwtIssuers(db: Db, tenantId?: string, open: OpenAddress = shownAddress): Promise<JwtIssuerSettings[]> {
  const rows = await db
    .selectFrom('jwt_issuers')
    .selectAll()
    .$if(tenantId !== undefined, (q) => q.where('tenant_id', '=', tenantId ?? ''))
    .orderBy('tenant_id')
    .orderBy('issuer')
    .execute()
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    issuer: row.issuer,
    audience: row.audience,
    jwksUri: open({ url: row.jwks_uri, query: row.jwks_query ?? undefined }, issuerPlace(row.tenant_id, row.issuer)),
    algorithms: JSON.parse(row.algorithms),
    maxAgeSeconds: Number(row.max_age_seconds),
    foreignScopes: row.foreign_scopes,
  }))
}

/** The sealed query of an issuer's address of keys; undefined where there is none. */
export async function issuerQueryOf(db: Db, tenantId: string, issuer: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('jwt_issuers')
    .select('jwks_query')
    .where('tenant_id', '=', tenantId)
    .where('issuer', '=', issuer)
    .executeTakeFirst()
  return row?.jwks_query ?? undefined
}

/** The refusal of an issuer that a publisher does not trust. */
export function unknownIssuer(tenantId: string, issuer: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `no issuer ${issuer} in ${tenantId}`, { field: 'issuer' })
}
