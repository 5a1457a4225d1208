import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { isParty, payerName } from '../../domain/order/order-terms.ts'
import { chunksOf } from '../../store/chunks.ts'
import { tenantOrdersInParts } from '../../store/media-buy/order-list.ts'
import { listBookedLines } from '../../store/order/orders.ts'
import { nameAccounts } from '../accounts/name-accounts.ts'
import type { OperatorContext } from '../operator-context.ts'
import { nameProducts } from '../orders/name-order-parts.ts'
import { about, type Of, object, orNull, string } from '../shape.ts'

/** What the ids beside money stand for; null: what is gone, or never had a name. */
export const billedNames = {
  account_name: about('who pays', orNull(string)),
  order_name: about('of whom it is, and what it is called', orNull(string)),
  product_name: about('of the product; of a line without one, the name of the line', orNull(string)),
}
const shape = object(billedNames)
export type BilledNames = Of<typeof shape>

/** Something that is billed, by its ids. */
interface BilledIds {
  readonly accountId: string
  readonly orderId: string
  /** '': the whole order. */
  readonly lineId: string
  readonly productId: string
}

/** Reads the names of all lines that are billed, and gives a function that names one of them. */
export async function nameBilled(
  context: OperatorContext,
  tenantId: string,
  all: readonly BilledIds[],
): Promise<(one: BilledIds) => BilledNames> {
  const orderIds = [...new Set(all.map(({ orderId }) => orderId))]
  const accounts = await namePayers(
    context,
    tenantId,
    all.map(({ accountId }) => accountId),
  )
  const products = await nameProducts(
    context,
    tenantId,
    all.map(({ productId }) => productId),
  )
  const orders = new Map<string, string>()
  const lines = new Map<string, string>()
  for (const ids of chunksOf(orderIds)) {
    for await (const part of tenantOrdersInParts(context.store.read, tenantId, ids))
      for (const { buy } of part) orders.set(buy.mediaBuyId, nameOfBuy(buy))
    for (const { orderId, orderName, advertiser, lineId, lineName } of await listBookedLines(context.store.read, tenantId, ids)) {
      orders.set(orderId, `${advertiser}: ${orderName}`)
      if (lineName !== undefined) lines.set(lineId, lineName)
    }
  }
  return ({ accountId, orderId, lineId, productId }) => ({
    account_name: accounts.get(accountId) ?? null,
    order_name: orders.get(orderId) || null,
    product_name: products.get(productId) ?? lines.get(lineId) ?? null,
  })
}

/** Names of accounts, and of the advertisers and agencies that pay for orders without one, by id. */
export async function namePayers(
  context: OperatorContext,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = await nameAccounts(context, tenantId, ids)
  return new Map([...accounts, ...ids.filter(isParty).map((id) => [id, payerName(id)] as const)])
}

/** The name of an order of a buyer. */
export function nameOfBuy({ brand, name }: Pick<MediaBuy, 'brand' | 'name'>): string {
  return [brand?.domain, name].filter((text) => text !== undefined).join(': ')
}
