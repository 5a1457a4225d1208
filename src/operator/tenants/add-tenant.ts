import { AdcpError } from '../../protocol/errors.ts'
import { addTenant as addStoredTenant } from '../../store/identity/tenants.ts'
import { auditedStore } from '../audited-store.ts'
import { requireDomain } from '../domain-name.ts'
import type { OperatorContext } from '../operator-context.ts'
import { presentTenant, type ShownTenant } from './present-tenant.ts'
import { requireName } from './set-tenant.ts'

/** Ids are part of paths (`/t/{tenant}/mcp`). */
const ID = /^[a-z0-9][a-z0-9-]{0,63}$/

/** Adds a publisher; the first one is the default of public calls. Throws INVALID_REQUEST for an id that is taken or has other characters, and for what is no domain. */
export async function addTenant(
  context: OperatorContext,
  {
    tenantId,
    name = tenantId,
    domain,
  }: { readonly tenantId: string; readonly name?: string | undefined; readonly domain: string },
): Promise<ShownTenant> {
  if (!ID.test(tenantId)) throw new AdcpError('INVALID_REQUEST', 'an id has 1–64 of a–z, 0–9 and -', { field: 'id' })
  const tenant = { tenantId, name: requireName(name), domain: requireDomain(domain, 'domain') }
  const store = auditedStore(context, { task: 'tenants.add', tenant: tenantId })
  return presentTenant(await store.transaction((tx) => addStoredTenant(tx, tenant, context.clock())))
}
