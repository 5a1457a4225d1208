import { csvText } from '../csv-text.ts'
import type { ListedOrder } from './listed-order.ts'

/** Orders of a file at most. */
export const MOST_IN_FILE = 10_000

const COLUMNS = {
  order: ({ media_buy_id: id }) => id,
  origin: ({ origin }) => origin,
  status: ({ status }) => status,
  buyer: ({ buyer_name: name, buyer }) => name ?? buyer ?? '',
  account: ({ account }) => account,
  advertiser: ({ advertiser }) => advertiser ?? '',
  name: ({ name }) => name ?? '',
  purchase_order: ({ po_number: number }) => number ?? '',
  products: ({ products }) => products.join('; '),
  first_day: ({ flight }) => flight.first.day,
  last_day: ({ flight }) => flight.last.day,
  currency: ({ currency }) => currency,
  budget: ({ budget }) => budget ?? '',
  spent: ({ spent }) => spent,
  impressions: ({ impressions }) => impressions,
  delivered_share: ({ pacing }) => pacing.delivered,
  planned_share: ({ pacing }) => pacing.expected,
  pacing: ({ pacing }) => pacing.state,
  sandbox: ({ sandbox }) => (sandbox ? 'yes' : ''),
} satisfies Readonly<Record<string, (order: ListedOrder) => string | number>>

/** Orders of the list as CSV (RFC 4180): a row for each order. Shares are of the whole, 0 to 1. */
export function ordersCsv(orders: readonly ListedOrder[]): string {
  return csvText(
    Object.keys(COLUMNS),
    orders.map((order) => Object.values(COLUMNS).map((cell) => cell(order))),
  )
}
