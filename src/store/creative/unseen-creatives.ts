import type { Creative } from '../../domain/creative/creative.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { creativeOf } from './creatives.ts'

/** Creatives that wait in review, by how their reasons begin. */
export interface WaitingReasons {
  readonly reason: string
  /** Those that are left out: changed after `since` (ISO 8601). */
  readonly except: readonly { readonly reason: string; readonly since: string }[]
}

/**
 * Creatives of all publishers that wait in review, `limit` at most: publishers take turns, and the buyers of each, so that how many one has delays its own alone. Of
 * each buyer those that were changed longest ago come first.
 */
export async function listWaitingFor(
  db: Db,
  { reason, except }: WaitingReasons,
  limit: number,
): Promise<{ readonly owner: PrincipalRef; readonly creative: Creative }[]> {
  const waiting = db
    .selectFrom('creatives')
    .select(['tenant_id', 'principal_id', 'account_id', 'creative_id', 'updated_at'])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((of) => of.partitionBy(['tenant_id', 'principal_id']).orderBy('updated_at'))
        .as('of_buyer'),
    )
    .where('status', '=', 'pending_review')
    .where('status_reason', 'like', `${reason}%`)
    .where((is) =>
      is.and(
        except.map(({ reason: begin, since }) =>
          is.not(is.and([is('status_reason', 'like', `${begin}%`), is('updated_at', '>', since)])),
        ),
      ),
    )
    .as('waiting')
  const inTurn = db
    .selectFrom(waiting)
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((of) => of.partitionBy('tenant_id').orderBy('of_buyer').orderBy('updated_at'))
        .as('of_publisher'),
    )
    .as('in_turn')
  const rows = await db
    .selectFrom(inTurn)
    .innerJoin('creatives', (join) =>
      join
        .onRef('creatives.tenant_id', '=', 'in_turn.tenant_id')
        .onRef('creatives.principal_id', '=', 'in_turn.principal_id')
        .onRef('creatives.account_id', '=', 'in_turn.account_id')
        .onRef('creatives.creative_id', '=', 'in_turn.creative_id'),
    )
    .selectAll('creatives')
    .orderBy('in_turn.of_publisher')
    .orderBy('in_turn.updated_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ owner: { tenantId: row.tenant_id, principalId: row.principal_id }, creative: creativeOf(row) }))
}
