import { findCreatives } from '../../store/creative/creatives.ts'
import { namesOfProducts } from '../../store/product/product-list.ts'
import { nameAccounts } from '../accounts/name-accounts.ts'
import { pictureOf } from '../creatives/list-creatives.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { ShownOrder } from './order-shapes.ts'

/** A creative of an order, as people know it. */
export interface NamedCreative {
  readonly name: string
  /** Account that it belongs to; empty: it is of every account of the buyer. */
  readonly account: string
  /** Address of a picture among its assets. */
  readonly picture: string | undefined
}

/** What the ids of an order stand for; what is gone has no name. */
export interface OrderPartNames {
  readonly account: string | undefined
  readonly products: ReadonlyMap<string, string>
  readonly creatives: ReadonlyMap<string, NamedCreative>
}

/** Names of the account, the products and the creatives of an order. */
export async function nameOrderParts(context: OperatorContext, tenantId: string, order: ShownOrder): Promise<OrderPartNames> {
  const { account, buyer, packages } = order
  const db = context.store.read
  const ids = packages.flatMap(({ creatives }) => creatives.map(({ creative_id: id }) => id))
  const found = await findCreatives(db, { tenantId, principalId: buyer }, account, [...new Set(ids)])
  const creatives = [...found].map(([id, { accountId, content }]): [string, NamedCreative] => {
    return [id, { name: content.name, account: accountId, picture: pictureOf(content.assets) }]
  })
  return {
    account: (await nameAccounts(context, tenantId, [account])).get(account),
    products: await nameProducts(context, tenantId, order.products),
    creatives: new Map(creatives),
  }
}

/** Names of products by id; unknown ids are absent. */
export async function nameProducts(
  { store }: OperatorContext,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return namesOfProducts(store.read, tenantId, [...new Set(ids)])
}
