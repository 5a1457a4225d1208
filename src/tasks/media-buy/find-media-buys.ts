import { type Account, accountScopeOf } from '../../domain/account/account.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { mediaBuyNotFound } from '../../domain/media-buy/not-found.ts'
import type { Db } from '../../store/database.ts'
import { findMediaBuys, newestMediaBuyIds } from '../../store/media-buy/media-buys.ts'

/** Whose media buys are looked for. */
interface BuyerContext {
  readonly principal: ActingPrincipal
  readonly account: Account | undefined
}

/** The media buy that a request names. Throws MEDIA_BUY_NOT_FOUND, also for one of another account of the agent's. */
export async function namedMediaBuy(db: Db, context: BuyerContext, mediaBuyId: string): Promise<MediaBuy> {
  const [buy] = await findMediaBuys(db, context.principal, [mediaBuyId])
  if (buy && isInScope(buy, context)) return buy
  throw mediaBuyNotFound(mediaBuyId, await newestInScope(db, context))
}

/** Ids of the agent's newest media buys, of the account that the request names, if it names one. */
export function newestInScope(db: Db, context: BuyerContext): Promise<string[]> {
  return newestMediaBuyIds(db, context.principal, accountScopeOf(context.principal, context.account).accountId)
}

/** Whether a media buy belongs to the account that the request names, if it names one. */
export function isInScope(buy: MediaBuy, context: BuyerContext): boolean {
  const scope = accountScopeOf(context.principal, context.account).accountId
  return scope === undefined || buy.accountId === scope
}
