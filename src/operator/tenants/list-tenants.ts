import { listTenants as listStoredTenants } from '../../store/identity/tenants.ts'
import type { OperatorContext } from '../operator-context.ts'
import { presentTenant, type ShownTenant } from './present-tenant.ts'

/** The publishers of this deployment. */
export async function listTenants({ store }: OperatorContext): Promise<readonly ShownTenant[]> {
  return (await listStoredTenants(store.read)).map(presentTenant)
}
