import type { Tenant } from '../domain/identity/principal.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Db } from '../store/database.ts'
import { findTenant } from '../store/identity/tenants.ts'

/** The publisher of an id. Throws REFERENCE_NOT_FOUND. `field`: the member that names the publisher. */
export async function requirePublisher(db: Db, tenantId: string, field = 'tenant'): Promise<Tenant> {
  const tenant = await findTenant(db, tenantId)
  if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no publisher ${tenantId}`, { field })
  return tenant
}
