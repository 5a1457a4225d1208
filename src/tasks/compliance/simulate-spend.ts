import { invalidParam, type Params, requiredText } from '../../domain/compliance/params.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { deliveryOf, type LineReport } from '../../domain/media-buy/delivery.ts'
import { isTerminal, mediaBuyStatus } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { recordSpendUpTo } from '../../domain/media-buy/record-delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findAccount } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { listMediaBuys } from '../../store/media-buy/list-media-buys.ts'
import { findMediaBuys, getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { creativeFactsOf } from '../media-buy/creative-facts.ts'
import { reportsOf } from '../media-buy/orders.ts'
import type { Scenario } from './scenario.ts'

/** Reports of the ad server by media buy id. */
export type LineReports = ReadonlyMap<string, readonly LineReport[]>

/** More live media buys than one account of a test has. */
const MAX_BUYS = 100

/** `simulate_budget_spend`: spend is recorded until the packages have used up that share of their budgets. */
export const simulateBudgetSpend: Scenario = async (params, context, { reports }) => {
  const { tx, principal, now } = context
  const percentage = params.spend_percentage
  if (typeof percentage !== 'number' || !(percentage >= 0 && percentage <= 100))
    throw invalidParam('spend_percentage', 'must be a number from 0 to 100')
  const buys = await namedBuys(params, context, tx)
  let [spent, budget] = [0, 0]
  for (const buy of buys) {
    const lines = reports.get(buy.mediaBuyId) ?? []
    const after = recordSpendUpTo(buy, deliveryOf(buy, lines), percentage, now)
    await saveMediaBuy(tx, principal, buy, after)
    spent += deliveryOf(after, lines).total.spendMicros
    budget += totalBudgetMicros(buy)
  }
  const currency = buys[0]?.currency ?? 'USD'
  return {
    success: true,
    simulated: {
      spend_percentage: percentage,
      computed_spend: { amount: microsToAmount(spent), currency },
      budget: { amount: microsToAmount(budget), currency },
    },
  }
}

/** What the ad server reports of the media buys that the scenario is about: asked before the transaction. */
export async function reportsForSpend(params: Params, context: AuthenticatedContext): Promise<LineReports> {
  const named = await namedBuys(params, context, context.db)
  const buys = await findMediaBuys(
    context.db,
    context.principal,
    named.map((buy) => buy.mediaBuyId),
  )
  return reportsOf(context, buys, await creativeFactsOf(context.db, context.principal, buys))
}

/** The media buy, or the live ones of the account, that the parameters name. Throws when there is none. */
async function namedBuys(params: Params, { principal, now }: AuthenticatedContext, db: Db): Promise<MediaBuy[]> {
  if (params.media_buy_id !== undefined) return [await getMediaBuy(db, principal, requiredText(params, 'media_buy_id'))]
  if (params.account_id === undefined) throw invalidParam('media_buy_id', 'or account_id is required')
  const account = await findAccount(db, principal, requiredText(params, 'account_id'))
  if (!account) throw new AdcpError('ACCOUNT_NOT_FOUND', 'there is no such account', { field: 'params.account_id' })
  const filter = { accountId: account.accountId, now }
  const { buys } = await listMediaBuys(db, principal, filter, { after: undefined, limit: MAX_BUYS })
  const creatives = await creativeFactsOf(db, principal, buys)
  const live = buys.filter((buy) => !isTerminal(mediaBuyStatus(buy, creatives, now)))
  if (live.length > 0) return live
  throw new AdcpError('MEDIA_BUY_NOT_FOUND', 'the account has no media buy that could spend', { field: 'params.account_id' })
}
