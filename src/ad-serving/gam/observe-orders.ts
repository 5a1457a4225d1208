import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import { groupBy } from '../../domain/group-by.ts'
import { writtenCreatives } from './associate-creatives.ts'
import { findOrders, type GamOrder } from './find-order.ts'
import { soapShownCreatives } from './gam-creatives.ts'
import { GamQuota } from './gam-error.ts'
import { linesWithHours, ourLines, rememberHours } from './gam-lines.ts'
import type { GamParts } from './gam-parts.ts'
import { textOf } from './messages.ts'
import { linesThatShow, type OrderThere, observedOrder } from './observe-order.ts'

/**
 * Orders as they are at the network, each where its key is, by some calls for all of them. Undefined for one that has to be looked for: it, or a line of it, is not remembered by
 * its resource name, or was not found by its external id, or a person gave a line of it hours.
 */
export async function observeGamOrders(
  parts: GamParts,
  keys: readonly OrderKey[],
): Promise<readonly (ObservedOrder | undefined)[]> {
  try {
    return await seenTogether(parts, keys)
  } catch (error) {
    // Where people put creatives on lines, the network need not let the SOAP API be used: each order alone is read by the REST API.
    if (parts.options.creatives === 'api' || error instanceof GamQuota) throw error
    return keys.map(() => undefined)
  }
}

async function seenTogether(parts: GamParts, keys: readonly OrderKey[]): Promise<readonly (ObservedOrder | undefined)[]> {
  const orders = (await findOrders(parts, keys)).map((order) => (order && isKnown(order) ? order : undefined))
  const found = orders.filter((order) => order !== undefined)
  const byOrder = groupBy(await linesWithHours(parts, found, 'all'), (line) => textOf(line, 'order') ?? '')
  const there = await Promise.all(
    orders.map(async (order, at): Promise<{ readonly key: OrderKey; readonly there: OrderThere } | undefined> => {
      const key = keys[at]
      if (!order || !key) return undefined
      const lines = byOrder.get(order.name) ?? []
      const ours = await ourLines(parts, key, order, lines)
      return (await rememberHours(parts, key, ours)) ? undefined : { key, there: { order, lines, ours } }
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
