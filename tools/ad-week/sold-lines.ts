import type { LineSettings } from '../../src/domain/ad-serving/desired-order.ts'
import { DAY_MS, WEEK_START } from './traffic.ts'

/** A line of the simulated week. */
export interface SoldLine {
  readonly id: string
  readonly settings: LineSettings
  /** Whether the traffic that it is targeted to is enough for its goal, whatever else is sold. */
  readonly canDeliver: boolean
}

interface Sale {
  readonly id: string
  readonly product: string
  /** Goal as a share of the requests of the week; absent: no goal. */
  readonly share?: number
  readonly price: number
  readonly model?: LineSettings['price']['model']
  readonly guaranteed?: boolean
  readonly pacing?: LineSettings['pacing']
  /** First and last day of the flight, 0 to 7. */
  readonly days?: readonly [number, number]
  readonly targeting?: LineSettings['targeting']
  readonly canDeliver?: boolean
}

/** Product `all` is shown on both places of the pages, `sport` on one. */
export const PLACES: Readonly<Record<string, readonly string[]>> = { all: ['front', 'sport'], sport: ['sport'] }

const SALES: readonly Sale[] = [
  { id: 'even', product: 'all', share: 0.1, price: 10, guaranteed: true },
  { id: 'german', product: 'all', share: 0.08, price: 12, guaranteed: true, targeting: { geo_countries: ['DE'] } },
  { id: 'three-days', product: 'sport', share: 0.04, price: 14, guaranteed: true, days: [1, 4] },
  { id: 'front-loaded', product: 'all', share: 0.06, price: 9, guaranteed: true, pacing: 'front_loaded' },
  { id: 'asap', product: 'all', share: 0.03, price: 8, guaranteed: true, pacing: 'asap', days: [0, 2] },
  {
    id: 'capped',
    product: 'all',
    share: 0.03,
    price: 20,
    guaranteed: true,
    targeting: { frequency_cap: { max_impressions: 2, per: 'individuals', window: { interval: 1, unit: 'days' } } },
  },
  {
    id: 'pause-between',
    product: 'sport',
    share: 0.5,
    price: 11,
    guaranteed: false,
    canDeliver: false,
    targeting: { frequency_cap: { suppress_minutes: 60 } },
  },
  {
    id: 'small-country',
    product: 'all',
    share: 0.2,
    price: 15,
    guaranteed: true,
    canDeliver: false,
    targeting: { geo_countries: ['LU'] },
  },
  { id: 'rich', product: 'all', share: 0.05, price: 7.77 },
  { id: 'viewable', product: 'all', share: 0.03, price: 9, model: 'vcpm' },
  { id: 'clicks', product: 'sport', share: 0.0001, price: 2.5, model: 'cpc' },
  { id: 'poor', product: 'all', share: 0.05, price: 3.33, pacing: 'asap', days: [0, 6] },
  { id: 'sponsor', product: 'sport', price: 700, model: 'flat_rate', canDeliver: false },
]

const MICROS = 1_000_000

/** What is sold for a week of so many requests. Goals are whole units; budgets are what they cost. */
export function soldLines(requests: number): SoldLine[] {
  return SALES.map((sale) => {
    const { id, product, share, price, model = 'cpm', guaranteed = false, pacing = 'even', days = [0, 7] } = sale
    const units = share === undefined ? undefined : Math.round(requests * share)
    const per = model === 'cpm' || model === 'vcpm' ? 1000 : 1
    const rateMicros = Math.round(price * MICROS)
    return {
      id,
      canDeliver: sale.canDeliver ?? true,
      settings: {
        productId: product,
        startsAt: dayOf(days[0]),
        endsAt: dayOf(days[1]),
        budgetMicros: units === undefined ? rateMicros : Math.ceil((units * rateMicros) / per),
        price: { model, basis: 'fixed', rateMicros },
        goalImpressions: model === 'cpm' ? (units ?? null) : null,
        priority: guaranteed ? 'guaranteed' : 'non_guaranteed',
        pacing,
        targeting: sale.targeting ?? null,
      },
    }
  })
}

function dayOf(day: number): string {
  return new Date(WEEK_START + day * DAY_MS).toISOString()
}
