import { sql } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Db } from '../database.ts'
import { bytesOf, partsOfSize } from '../page-size.ts'
import { ownMediaBuys } from './media-buys.ts'
import { partsWithPackages } from './with-packages.ts'

/** The agent's media buys of an account (undefined: of all) whose flight touches a stretch of time. */
export interface InFlight {
  readonly accountId: string | undefined
  readonly from: Date
  readonly until: Date
}

/** The media buys in flight in parts of about a megabyte, the newest first, `limit` at most. */
export async function* buysInFlight(
  db: Db,
  owner: PrincipalRef,
  stretch: InFlight,
  limit: number,
): AsyncGenerator<readonly MediaBuy[]> {
  const rows = await inFlight(db, owner, stretch)
    .clearSelect()
    .select(['media_buy_id', bytesOf('document').as('bytes')])
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  for (const part of partsOfSize(rows, ({ bytes }) => Number(bytes))) {
    const ids = part.map((row) => row.media_buy_id)
    const headers = await ownMediaBuys(db, owner).where('media_buy_id', 'in', ids).orderBy('created_at', 'desc').execute()
    yield* partsWithPackages(db, owner, headers)
  }
}

/** How many packages the media buys in flight have. */
export async function countPackagesInFlight(db: Db, owner: PrincipalRef, stretch: InFlight): Promise<number> {
  const { count } = await db
    .selectFrom('packages as p')
    .select(sql<number | string>`count(*)`.as('count'))
    .where('p.tenant_id', '=', owner.tenantId)
    .where('p.media_buy_id', 'in', inFlight(db, owner, stretch).clearSelect().select('media_buy_id'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function inFlight(db: Db, owner: PrincipalRef, { accountId, from, until }: InFlight) {
  return ownMediaBuys(db, owner)
    .$if(accountId !== undefined, (q) => q.where('account_id', '=', accountId ?? ''))
    .where('ends_at', '>=', from.toISOString())
    .where('starts_at', '<=', until.toISOString())
    .where((e) => e.or([e('decision', 'is', null), e('decision', '!=', 'rejected')]))
}
