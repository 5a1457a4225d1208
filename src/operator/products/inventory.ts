import { DAY_MS } from '../../domain/calendar/instant.ts'
import { periodsBetween } from '../../domain/media-buy/calendar-period.ts'
import { dayText } from '../../domain/media-buy/flight.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { PRODUCT_STATUSES, type ProductStatus } from '../../domain/product/product.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { reservedNowOfProducts } from '../../store/media-buy/inventory-holds.ts'
import { defineAct } from '../act.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS } from '../roles.ts'
import { about, list, number, object, orNull, pageOf, string, word } from '../shape.ts'
import { percent } from '../text-table.ts'
import { listProducts, PRODUCT_QUERY } from './list-products.ts'

/** Days that are looked ahead, today (UTC) included. */
export const INVENTORY_DAYS = 30

/** What is for sale of a product and what orders hold of it, in impressions of the next {@link INVENTORY_DAYS} days. */
export interface ProductInventory {
  readonly product_id: string
  readonly name: string
  readonly status: ProductStatus
  /** What can be served. */
  readonly capacity: number
  /** What guaranteed orders and the publisher's own hold. */
  readonly booked: number
  readonly left: number
  /** What the product says to expect of a month; null where it says nothing. */
  readonly forecast: { readonly low: number | null; readonly high: number | null } | null
}

const amount = (each: number) => Math.round(each).toLocaleString('en')

/** The inventory of a page of the products of a publisher. */
export const listProductInventory = defineAct({
  name: 'products.inventory',
  route: 'GET /inventory',
  id: 'listProductInventory',
  roles: READERS,
  summary: `What is for sale of each product and what orders hold of it, in impressions of the next ${INVENTORY_DAYS} days, by pages.`,
  fields: PRODUCT_QUERY,
  answer: pageOf(
    about(
      `impressions of the next ${INVENTORY_DAYS} days`,
      object({
        product_id: string,
        name: string,
        status: word(...PRODUCT_STATUSES),
        capacity: about('what can be served', number),
        booked: about("what guaranteed orders and the publisher's own hold", number),
        left: number,
        forecast: about(
          'what the product says to expect of a month',
          orNull(object({ low: orNull(number), high: orNull(number) })),
        ),
      }),
    ),
  ),
  command: {
    help: `what is left to sell of each product in the next ${INVENTORY_DAYS} days`,
    columns: [
      ['PRODUCT', (row) => row.product_id],
      ['NAME', (row) => row.name],
      ['CAPACITY', (row) => amount(row.capacity)],
      ['BOOKED', (row) => amount(row.booked)],
      ['LEFT', (row) => amount(row.left)],
      ['SHARE', ({ booked, capacity }) => percent(capacity === 0 ? 0 : booked / capacity)],
      ['STATUS', (row) => row.status],
    ],
  },
  async run(context, values) {
    const { tenantId } = context
    const { products, next_cursor: next } = await listProducts(context, { tenantId, ...values })
    return list(await inventoryOf(context, tenantId, products), next)
  },
})

/** The inventory of some products of a publisher, in their order. One query. */
export async function inventoryOf(
  { store, clock }: OperatorContext,
  tenantId: string,
  products: readonly ProductDocument[],
): Promise<readonly ProductInventory[]> {
  const now = clock()
  const today = Math.floor(now.getTime() / DAY_MS)
  const [first, last] = [today, today + INVENTORY_DAYS - 1]
  const ids = products.map(({ product_id: id }) => id)
  const days = { first: dayText(first), last: dayText(last) }
  const held = await reservedNowOfProducts(store.read, { tenantId, pool: '' }, ids, days, { now })
  const periods = periodsBetween(first, last)
  return products.map((product) => {
    const { product_id, name, selling } = product
    const inventory = new HeldInventory(held.get(product_id) ?? new Map())
    const capacity = selling.daily_capacity * INVENTORY_DAYS
    const left = periods.reduce((sum, period) => sum + inventory.leftIn(period, selling.daily_capacity), 0)
    const status = selling.status ?? 'active'
    return { product_id, name, status, capacity, booked: capacity - left, left, forecast: forecastOf(product) }
  })
}

function forecastOf({ forecast }: ProductDocument): ProductInventory['forecast'] {
  for (const { metrics } of forecast?.points ?? []) {
    const { impressions } = metrics
    if (impressions) return { low: impressions.low ?? null, high: impressions.high ?? impressions.mid ?? null }
  }
  return null
}
