import { randomUUID } from 'node:crypto'
import type { UsageRecord } from '../../domain/signal/usage.ts'
import type { Db } from '../database.ts'
import type { DeploymentOwner } from '../signal/signal-deployments.ts'

/** Stores a usage record. False when the same use in the same period is stored already. */
export async function insertUsage(tx: Db, owner: DeploymentOwner, record: UsageRecord, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('usage_records')
    .values({
      tenant_id: owner.tenantId,
      usage_id: `use_${randomUUID()}`,
      principal_id: owner.principalId,
      account_id: owner.accountId,
      fingerprint: record.fingerprint,
      document: JSON.stringify(record.document),
      cost_micros: record.costMicros,
      currency: record.currency,
      billed_on: record.billedOn,
      rights_id: record.rightsId ?? null,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'account_id', 'fingerprint']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Impressions that an agent reported under a grant of rights. */
export async function reportedImpressions(
  db: Db,
  { tenantId, principalId }: Pick<DeploymentOwner, 'tenantId' | 'principalId'>,
  { rightsId }: { readonly rightsId: string },
): Promise<number> {
  const rows = await db
    .selectFrom('usage_records')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('rights_id', '=', rightsId)
    .execute()
  const counts = rows.map((row): number => JSON.parse(row.document).impressions ?? 0)
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Reported cost of an account by day and currency. */
export async function usageCosts(
  db: Db,
  { tenantId, accountId }: Pick<DeploymentOwner, 'tenantId' | 'accountId'>,
): Promise<{ day: string; currency: string; micros: number }[]> {
  const rows = await db
    .selectFrom('usage_records')
    .select(['billed_on', 'currency', 'cost_micros'])
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .execute()
  return rows.map((row) => ({ day: row.billed_on, currency: row.currency, micros: Number(row.cost_micros) }))
}
