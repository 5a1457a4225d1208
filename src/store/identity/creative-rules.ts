import type { CreativeRules } from '../../domain/creative/creative-rules.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { missingBuyer } from './missing-buyer.ts'

/** What was agreed about the creatives of an agent; empty without an agreement or an agent. */
export async function findCreativeRules(db: Db, agent: PrincipalRef): Promise<CreativeRules> {
  return (await readCreativeRules(db, agent)) ?? {}
}

/** The same. Throws REFERENCE_NOT_FOUND for an unknown agent. */
export async function getCreativeRules(db: Db, agent: PrincipalRef): Promise<CreativeRules> {
  const rules = await readCreativeRules(db, agent)
  if (rules === undefined) throw missingBuyer(agent.tenantId, agent.principalId)
  return rules
}

/** What was agreed with each agent of a publisher that has rules of its own, in the order of their ids. */
export async function listBuyersCreativeRules(
  db: Db,
  tenantId: string,
): Promise<(readonly [principalId: string, CreativeRules])[]> {
  const rows = await db
    .selectFrom('principals')
    .select(['principal_id', 'creative_rules'])
    .where('tenant_id', '=', tenantId)
    .where('creative_rules', 'is not', null)
    .orderBy('principal_id')
    .execute()
  return rows.map((row) => [row.principal_id, JSON.parse(row.creative_rules ?? '{}')] as const)
}

async function readCreativeRules(db: Db, { tenantId, principalId }: PrincipalRef): Promise<CreativeRules | undefined> {
  const row = await db
    .selectFrom('principals')
    .select('creative_rules')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  return row && (row.creative_rules === null ? {} : JSON.parse(row.creative_rules))
}

/** Replaces what was agreed about the creatives of an agent. Throws REFERENCE_NOT_FOUND. */
export async function saveCreativeRules(tx: Db, { tenantId, principalId }: PrincipalRef, rules: CreativeRules): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ creative_rules: JSON.stringify(rules) })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missingBuyer(tenantId, principalId)
}
