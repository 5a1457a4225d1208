import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { ownMediaBuys, withPackages } from './media-buys.ts'

export interface MediaBuyFilter {
  readonly accountId?: string | undefined
  /** Narrows as far as columns can tell; the caller checks the derived status too. */
  readonly statuses?: readonly MediaBuyStatus[] | undefined
  readonly now: Date
}

/** Keyset position in the order of creation. */
export interface MediaBuyPosition {
  readonly createdAt: string
  readonly mediaBuyId: string
}

/** The agent's media buys in order of creation, `limit` at most, after a position. */
export async function listMediaBuys(
  db: Db,
  owner: PrincipalRef,
  filter: MediaBuyFilter,
  page: { readonly after: MediaBuyPosition | undefined; readonly limit: number },
): Promise<MediaBuy[]> {
  const { after } = page
  let query = ownMediaBuys(db, owner)
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId)
  if (filter.statuses) query = query.where(statusCondition(filter.statuses, filter.now.toISOString()))
  if (after) {
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '>', after.createdAt),
        eb.and([eb('created_at', '=', after.createdAt), eb('media_buy_id', '>', after.mediaBuyId)]),
      ]),
    )
  }
  return withPackages(db, owner, await query.orderBy('created_at').orderBy('media_buy_id').limit(page.limit).execute())
}

/** So many are read at once. */
const AT_ONCE = 100

/** All media buys of an agent's account, in order of creation. */
export async function accountMediaBuys(db: Db, owner: PrincipalRef, accountId: string, now: Date): Promise<readonly MediaBuy[]> {
  const buys: MediaBuy[] = []
  for (let after: MediaBuyPosition | undefined; ; ) {
    const page = await listMediaBuys(db, owner, { accountId, now }, { after, limit: AT_ONCE })
    buys.push(...page)
    after = page.at(-1)
    if (page.length < AT_ONCE) return buys
  }
}

/** Ids of the agent's newest media buys that run or will run, `limit` at most, each with the words that it is found by (see `searchText`). */
export async function listLiveNames(
  db: Db,
  owner: PrincipalRef,
  now: Date,
  limit: number,
): Promise<readonly { readonly id: string; readonly names: readonly string[] }[]> {
  const rows = await db
    .selectFrom('media_buys')
    .select(['media_buy_id', 'search'])
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where(statusCondition(LIVE_STATUSES, now.toISOString()))
    .orderBy('created_at', 'desc')
    .orderBy('media_buy_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ media_buy_id: id, search }) => ({ id, names: [search] }))
}

/** What columns of `media_buys` can say of derived statuses: whether creatives were supplied is not among it. `now` is ISO 8601 UTC. */
export function statusCondition(statuses: readonly MediaBuyStatus[], now: string): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'media_buys'>()
  const live = eb.and([eb('decision', 'is', null), eb('ends_at', '>', now)])
  const begun = eb('starts_at', '<=', now)
  const conditions = {
    canceled: eb('decision', '=', 'canceled'),
    rejected: eb('decision', '=', 'rejected'),
    completed: eb.and([eb('decision', 'is', null), eb('ends_at', '<=', now)]),
    pending_creatives: live,
    // A buy that is not confirmed has this status after its start too.
    pending_start: live,
    active: eb.and([live, begun, eb('paused', '=', 0)]),
    paused: eb.and([live, begun, eb('paused', '=', 1)]),
  } satisfies Record<MediaBuyStatus, unknown>
  const any = eb.or(statuses.map((status) => conditions[status]))
  // Said once for all of them where it holds for all: the index of live buys serves no condition inside an OR.
  return statuses.every((status) => LIVE_STATUSES.includes(status)) ? eb.and([live, any]) : any
}
