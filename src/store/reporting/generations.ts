import { type Generation, nameOf } from '../../domain/reporting/generation.ts'
import type { Db } from '../database.ts'

/** Whose reports: a buyer's of one account. */
export interface ReportOwner {
  readonly tenantId: string
  readonly principalId: string
  readonly accountId: string
}

/** The configurations of an account, every version, in order of their names. */
export async function listGenerations(db: Db, owner: ReportOwner): Promise<Generation[]> {
  const rows = await db
    .selectFrom('reporting_generations')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('account_id', '=', owner.accountId)
    .execute()
  return rows
    .map((row) => ({
      configId: row.config_id,
      version: row.version,
      config: JSON.parse(row.document),
      activatedAt: row.activated_at,
      ...(row.deactivated_at !== null && { deactivatedAt: row.deactivated_at }),
      ...(row.stopped_at !== null && { stoppedAt: row.stopped_at }),
    }))
    .sort((a, b) => (a.configId === b.configId ? a.version - b.version : a.configId < b.configId ? -1 : 1))
}

/** Makes the stored configurations of an account these; of one that is stored, what its life is. Others are forgotten. */
export async function saveGenerations(tx: Db, owner: ReportOwner, generations: readonly Generation[]): Promise<void> {
  const kept = new Set(generations.map(nameOf))
  for (const { configId, version } of (await listGenerations(tx, owner)).filter((each) => !kept.has(nameOf(each))))
    await tx
      .deleteFrom('reporting_generations')
      .where('tenant_id', '=', owner.tenantId)
      .where('principal_id', '=', owner.principalId)
      .where('account_id', '=', owner.accountId)
      .where('config_id', '=', configId)
      .where('version', '=', version)
      .execute()
  for (const { configId, version, config, activatedAt, deactivatedAt, stoppedAt } of generations) {
    const life = { document: JSON.stringify(config), deactivated_at: deactivatedAt ?? null, stopped_at: stoppedAt ?? null }
    await tx
      .insertInto('reporting_generations')
      .values({
        tenant_id: owner.tenantId,
        principal_id: owner.principalId,
        account_id: owner.accountId,
        config_id: configId,
        version,
        activated_at: activatedAt,
        ...life,
      })
      .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'account_id', 'config_id', 'version']).doUpdateSet(life))
      .execute()
  }
}

/** The accounts that reports are owed for, or were until lately. */
export function listReportOwners(db: Db, since: Date): Promise<ReportOwner[]> {
  return db
    .selectFrom('reporting_generations')
    .select(['tenant_id as tenantId', 'principal_id as principalId', 'account_id as accountId'])
    .distinct()
    .where((e) => e.or([e('stopped_at', 'is', null), e('stopped_at', '>', since.toISOString())]))
    .execute()
}

/** Who has reports of an account. */
export function reportOwnersOf(db: Db, tenantId: string, accountId: string): Promise<ReportOwner[]> {
  return db
    .selectFrom('reporting_generations')
    .select(['tenant_id as tenantId', 'principal_id as principalId', 'account_id as accountId'])
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .execute()
}
