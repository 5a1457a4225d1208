import type { Identity } from '../../domain/identity/identity.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { findIdentity, getPrincipal } from './identities.ts'

/** Pins a certificate's name to a principal. Throws REFERENCE_NOT_FOUND; INVALID_REQUEST when it is another's in this tenant. */
export async function pinCertificate(
  tx: Db,
  pin: { readonly tenantId: string; readonly principalId: string; readonly name: string },
  now: Date,
): Promise<void> {
  await getPrincipal(tx, pin.tenantId, pin.principalId)
  await tx
    .insertInto('client_certificates')
    .values({ name: pin.name, tenant_id: pin.tenantId, principal_id: pin.principalId, created_at: now.toISOString() })
    .onConflict((c) => c.doNothing())
    .execute()
  const [holder] = await listPins(tx, pin.tenantId, pin.name)
  if (holder?.principal !== pin.principalId)
    throw new AdcpError('INVALID_REQUEST', `${pin.name} is pinned to ${holder?.principal ?? 'another buyer'}`, { field: 'name' })
}

/** Ends a pin. Throws REFERENCE_NOT_FOUND. */
export async function unpinCertificate(tx: Db, tenantId: string, name: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('client_certificates')
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new AdcpError('REFERENCE_NOT_FOUND', `${name} is not pinned in ${tenantId}`, { field: 'name' })
}

/** Pins of a tenant, by name; of one name when it is given. */
export async function listPins(db: Db, tenantId: string, name?: string): Promise<{ name: string; principal: string }[]> {
  let query = db.selectFrom('client_certificates').select(['name', 'principal_id']).where('tenant_id', '=', tenantId)
  if (name !== undefined) query = query.where('name', '=', name)
  const rows = await query.orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, principal: row.principal_id }))
}

/** The active principals to which any of these names is pinned, each once, the first pinned first. */
export async function findByCertificate(db: Db, names: readonly string[]): Promise<Identity[]> {
  if (names.length === 0) return []
  const rows = await db
    .selectFrom('client_certificates')
    .select(['tenant_id', 'principal_id'])
    .where('name', 'in', names)
    .groupBy(['tenant_id', 'principal_id'])
    .orderBy((e) => e.fn.min('created_at'))
    .orderBy('tenant_id')
    .execute()
  const identities = await Promise.all(rows.map((row) => findIdentity(db, row.tenant_id, row.principal_id)))
  return identities.filter((identity) => identity !== undefined)
}
