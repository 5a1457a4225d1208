import { findTenantAccounts } from '../../store/account/tenant-accounts.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Names of accounts by id; unknown ids are absent. */
export async function nameAccounts(
  { store }: OperatorContext,
  tenantId: string,
  ids: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.flatMap((id) => id || []))]
  const accounts = await findTenantAccounts(store.read, tenantId, wanted)
  return new Map(accounts.map(({ accountId, document }) => [accountId, document.name]))
}
