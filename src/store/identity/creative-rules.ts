import type { CreativeRules } from '../../domain/creative/creative-rules.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'

/** What was agreed about the creatives of an agent; empty without an agreement or an agent. */
export async function findCreativeRules(db: Db, { tenantId, principalId }: PrincipalRef): Promise<CreativeRules> {
  const row = await db
    .selectFrom('principals')
    .select('creative_rules')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  return row?.creative_rules ? JSON.parse(row.creative_rules) : {}
}

/** Replaces what was agreed about the creatives of an agent. Throws REFERENCE_NOT_FOUND. */
export async function saveCreativeRules(tx: Db, { tenantId, principalId }: PrincipalRef, rules: CreativeRules): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ creative_rules: JSON.stringify(rules) })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`, { field: 'buyer' })
}
