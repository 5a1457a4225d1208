import type { Creative } from '../../domain/creative/creative.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { creativeOf } from './creatives.ts'

/** Creatives of all publishers that wait in review for a reason that begins with `reason`, those that were changed longest ago first; `limit` at most. */
export async function listWaitingFor(
  db: Db,
  reason: string,
  limit: number,
): Promise<{ readonly owner: PrincipalRef; readonly creative: Creative }[]> {
  const rows = await db
    .selectFrom('creatives')
    .selectAll()
    .where('status', '=', 'pending_review')
    .where('status_reason', 'like', `${reason}%`)
    .orderBy('updated_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ owner: { tenantId: row.tenant_id, principalId: row.principal_id }, creative: creativeOf(row) }))
}
