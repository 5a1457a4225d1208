import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Db } from '../database.ts'
import { findMediaBuys } from './media-buys.ts'

/** The agent's media buys on an account whose flight touches a stretch of time, the newest first, `limit` at most. */
export async function listBuysInFlight(
  db: Db,
  owner: PrincipalRef,
  accountId: string | undefined,
  stretch: { readonly from: Date; readonly until: Date },
  limit: number,
): Promise<MediaBuy[]> {
  const rows = await db
    .selectFrom('media_buys')
    .select('media_buy_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .$if(accountId !== undefined, (q) => q.where('account_id', '=', accountId ?? ''))
    .where('ends_at', '>=', stretch.from.toISOString())
    .where('starts_at', '<=', stretch.until.toISOString())
    .where((e) => e.or([e('decision', 'is', null), e('decision', '!=', 'rejected')]))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return findMediaBuys(
    db,
    owner,
    rows.map((row) => row.media_buy_id),
  )
}
