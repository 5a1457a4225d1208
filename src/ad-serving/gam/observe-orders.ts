import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import { groupBy } from '../../domain/group-by.ts'
import { writtenCreatives } from './associate-creatives.ts'
import { findOrders, type GamOrder } from './find-order.ts'
import { soapShownCreatives } from './gam-creatives.ts'
import { linesWithHours, ourLines } from './gam-lines.ts'
import type { GamParts } from './gam-parts.ts'
import { textOf } from './messages.ts'
import { linesThatShow, type OrderThere, observedOrder } from './observe-order.ts'

/**
 * Orders as they are at the network, each where its key is, by some calls for all of them. Undefined for one that has to be looked for: it, or a line of it, is not remembered by
 * its resource name, or was not found by its external id.
 */
export async function observeGamOrders(
  parts: GamParts,
  keys: readonly OrderKey[],
): Promise<readonly (ObservedOrder | undefined)[]> {
  const orders = (await findOrders(parts, keys)).map((order) => (order && isKnown(order) ? order : undefined))
  const found = orders.filter((order) => order !== undefined)
  const byOrder = groupBy(await linesWithHours(parts, found), (line) => textOf(line, 'order') ?? '')
  const there = await Promise.all(
    orders.map(async (order, at): Promise<{ readonly key: OrderKey; readonly there: OrderThere } | undefined> => {
      const key = keys[at]
      const lines = byOrder.get(order?.name ?? '') ?? []
      return order && key && { key, there: { order, lines, ours: await ourLines(parts, key, order, lines) } }
    }),
  )
  const shows = there.flatMap((each) => (each ? { key: each.key, lines: linesThatShow(each.there) } : []))
  const read = parts.options.creatives === 'api' ? writtenCreatives : soapShownCreatives
  const shown = new Map((await read(parts, shows)).map((each, at) => [shows[at]?.key, each]))
  return Promise.all(
    there.map(async (each) => {
      const own = each && shown.get(each.key)
      return own && observedOrder(parts, each.there, own)
    }),
  )
}

/** Whether no line of an order has to be looked for. */
function isKnown({ lines }: GamOrder): boolean {
  return [...lines.values()].every(({ name }) => name !== undefined)
}
