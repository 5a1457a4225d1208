import { AdcpError } from '../protocol/errors.ts'
import { listTenants } from '../store/identity/tenants.ts'
import type { OperatorContext } from './operator-context.ts'

/** Id of the publisher that was named, or of the only one there is. Throws INVALID_REQUEST otherwise. */
export async function chooseTenant({ store }: Pick<OperatorContext, 'store'>, named: string | undefined): Promise<string> {
  const tenants = await listTenants(store.read)
  const chosen =
    named === undefined ? (tenants.length === 1 ? tenants[0] : undefined) : tenants.find((tenant) => tenant.tenantId === named)
  if (chosen) return chosen.tenantId
  if (tenants.length === 0)
    throw new AdcpError('INVALID_REQUEST', 'the store has no publisher; make one: sales-agent tenants add ID --domain DOMAIN', {
      field: 'tenant',
    })
  const names = tenants.map((tenant) => tenant.tenantId).join(', ')
  const message = named === undefined ? `name a tenant with --tenant (${names})` : `no tenant ${named} (there are: ${names})`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'tenant' })
}
