import { count, invalidParam, type Params, requiredText } from '../../domain/compliance/params.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { recordDelivery } from '../../domain/media-buy/record-delivery.ts'
import { budgetToMicros, microsToAmount } from '../../domain/money.ts'
import { isObject } from '../../protocol/is-object.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import type { Scenario } from './scenario.ts'

/** `simulate_delivery`: figures that the ad server does not report itself; each call adds to them. */
export const simulateDelivery: Scenario = async (params, { tx, principal, now }) => {
  const mediaBuyId = requiredText(params, 'media_buy_id')
  const [impressions, clicks, conversions] = [count(params, 'impressions'), count(params, 'clicks'), count(params, 'conversions')]
  const buy = await getMediaBuy(tx, principal, mediaBuyId)
  const spendMicros = spendOf(params, buy)
  const after = recordDelivery(buy, { impressions, clicks, conversions, spendMicros }, now)
  await saveMediaBuy(tx, principal, buy, after)
  return {
    success: true,
    simulated: { impressions, clicks, conversions, reported_spend: amountOf(spendMicros, buy) },
    cumulative: cumulativeOf(after),
  }
}

function spendOf({ reported_spend: spend }: Params, { currency }: MediaBuy): number {
  if (spend === undefined) return 0
  if (!isObject(spend) || typeof spend.amount !== 'number') throw invalidParam('reported_spend', 'must have an amount')
  if (spend.currency !== undefined && spend.currency !== currency)
    throw invalidParam('reported_spend.currency', `must be ${currency}, the currency of the media buy`)
  return budgetToMicros(spend.amount, currency, 'params.reported_spend.amount')
}

function cumulativeOf(buy: MediaBuy): object {
  const entries = buy.packages.flatMap((pkg) => pkg.recorded)
  const sum = (read: (entry: (typeof entries)[number]) => number) => entries.reduce((total, entry) => total + read(entry), 0)
  return {
    impressions: sum((entry) => entry.impressions),
    clicks: sum((entry) => entry.clicks),
    conversions: sum((entry) => entry.conversions),
    reported_spend: amountOf(
      sum((entry) => entry.spendMicros),
      buy,
    ),
  }
}

function amountOf(micros: number, { currency }: MediaBuy): object {
  return { amount: microsToAmount(micros), currency }
}
