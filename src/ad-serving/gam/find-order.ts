import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import { groupBy } from '../../domain/group-by.ts'
import { MissingThere } from '../missing-there.ts'
import type { Message } from './client.ts'
import type { GamParts } from './gam-parts.ts'
import { momentOf, nameOf, textOf } from './messages.ts'
import { orderAnchor } from './order-anchor.ts'
import type { LineMemo, OrderMemo, Recalled, Remembered } from './remembered.ts'

/** An order of ours at the network. */
export interface GamOrder {
  readonly name: string
  readonly message: Message
  readonly memo: OrderMemo
  /** What is remembered of its lines, by our id. */
  readonly lines: ReadonlyMap<string, Remembered<LineMemo>>
  /** Other orders that agree in everything that we wrote: two programs made it at the same moment. Resource names; what is over is left out. */
  readonly duplicates: readonly Message[]
}

/** What an order is found by while its resource name is not known. All three have to agree. */
export interface OrderMarks {
  readonly displayName: string
  readonly advertiser: string
}

type Finder = Pick<GamParts, 'client' | 'memory'>

/**
 * The order of a key: the one whose resource name is remembered, whatever people made of it; else the one that agrees in external id, name and advertiser
 * with what was about to be made, which is remembered from then on. Undefined: none can be found.
 */
export async function findOrder(parts: Finder, key: OrderKey): Promise<GamOrder | undefined> {
  const recalled = await parts.memory.recall(key)
  const { order } = recalled
  if (!order) return undefined
  const { same } = await candidates(parts, key, marksOf(order))
  if (order.name === undefined) return adoptOrder(parts, key, recalled, same)
  const message = same.find(({ name }) => name === order.name) ?? (await parts.client.find(order.name))
  return message && orderOf(message, order, recalled, same)
}

/**
 * Orders by their keys, each where its key is, by one call for all of them: those whose resource names are remembered, and whose external ids nobody changed. Undefined for any
 * other, which {@link findOrder} looks for. At most 50: a URL has some thousand characters.
 */
export async function findOrders(parts: Finder, keys: readonly OrderKey[]): Promise<readonly (GamOrder | undefined)[]> {
  const recalled = await Promise.all(keys.map((key) => parts.memory.recall(key)))
  const anchors = keys.filter((_, at) => recalled[at]?.order?.name !== undefined).map(orderAnchor)
  if (anchors.length === 0) return keys.map(() => undefined)
  const filter = anchors.map((anchor) => `externalOrderId = ${anchor}`).join(' OR ')
  const found = await parts.client.list(`${parts.client.network}/orders`, 'orders', { filter })
  const byAnchor = groupBy(found, ({ externalOrderId }) => String(externalOrderId))
  return keys.map((key, at) => {
    const own = recalled[at]
    const { order } = own ?? {}
    if (!own || !order) return undefined
    const all = byAnchor.get(String(orderAnchor(key))) ?? []
    const message = all.find(({ name }) => name === order.name)
    return message && orderOf(message, order, own, openSame(all, key, marksOf(order)))
  })
}

/** Throws {@link MissingThere} when there is none. */
export async function requireOrder(parts: Finder, key: OrderKey): Promise<GamOrder> {
  const found = await findOrder(parts, key)
  if (found) return found
  throw new MissingThere(`order ${key.externalId} is not at Google Ad Manager`)
}

/**
 * Looks for an order that is to be made, so that it is not made twice. Gives one that agrees in all marks; throws {@link MissingThere} when something else may
 * be it, edited by a person since.
 */
export async function findBeforeCreation(
  parts: Finder,
  key: OrderKey,
  recalled: Recalled,
  fresh: OrderMemo,
): Promise<GamOrder | undefined> {
  const order = recalled.order ?? { ...fresh, name: undefined }
  if (order.name !== undefined)
    throw new MissingThere(`order ${key.externalId} (${order.name}) is not at Google Ad Manager any more`)
  const { same, similar } = await candidates(parts, key, marksOf(order))
  const adopted = await adoptOrder(parts, key, { ...recalled, order }, same)
  if (adopted || recalled.anew.has(`order ${key.externalId}`)) return adopted
  const recent = recalled.order ? await madeSince(parts, order) : []
  const [first] = await unknown(parts, key, [...similar, ...recent])
  if (!first) return undefined
  const message = `${nameOf(first)} (${textOf(first, 'displayName')}) at Google Ad Manager may be order ${key.externalId}, but its external id, name or advertiser is another; give it those back there`
  throw new MissingThere(`${message}: "${marksOf(order).displayName}", ${orderAnchor(key)}, ${marksOf(order).advertiser}`)
}

/** Of several that agree in everything the oldest counts, one that is not over before one that is. */
async function adoptOrder(
  { memory }: Finder,
  key: OrderKey,
  recalled: Recalled,
  same: readonly Message[],
): Promise<GamOrder | undefined> {
  const [first] = same
  if (!first || !recalled.order) return undefined
  const order = { ...recalled.order, name: nameOf(first) }
  await memory.saveOrder(key, order)
  return orderOf(first, order, recalled, same)
}

/** `same`: what agrees in all marks; what is not the order itself is a duplicate. */
function orderOf(
  message: Message,
  { name: _name, ...memo }: Remembered<OrderMemo>,
  { lines }: Recalled,
  same: readonly Message[],
): GamOrder {
  const name = nameOf(message)
  return { name, message, memo, lines, duplicates: same.filter((each) => each.name !== name) }
}

/** `same`: agree in all marks; `similar`: in some of external id and name. */
async function candidates({ client }: Finder, key: OrderKey, marks: OrderMarks) {
  const filter = `externalOrderId = ${orderAnchor(key)} OR displayName = ${quoted(marks.displayName)}`
  const found = await client.list(`${client.network}/orders`, 'orders', { filter })
  return { same: openSame(found, key, marks), similar: found.filter((order) => !isSameOrder(order, key, marks)) }
}

function isSameOrder(order: Message, key: OrderKey, { displayName, advertiser }: OrderMarks): boolean {
  return (
    String(order.externalOrderId) === String(orderAnchor(key)) &&
    textOf(order, 'displayName') === displayName &&
    textOf(order, 'advertiser') === advertiser
  )
}

/** Those that agree in all marks, oldest first, without those that are over unless there are no others. */
function openSame(orders: readonly Message[], key: OrderKey, marks: OrderMarks): readonly Message[] {
  const same = orders.filter((order) => isSameOrder(order, key, marks)).sort(byAge)
  const open = same.filter((order) => !isOver(order))
  return open.length > 0 ? open : same.slice(0, 1)
}

/** The clock of the network and ours. */
const CLOCKS_MS = 10 * 60_000

/** Orders of the advertiser that changed since the creation was begun, whose answer was lost: a person may have changed external id and name meanwhile. */
async function madeSince({ client }: Finder, order: OrderMemo): Promise<readonly Message[]> {
  const since = Date.parse(order.since) - CLOCKS_MS
  const all = await client.list(`${client.network}/orders`, 'orders', {
    filter: `advertiser = ${quoted(marksOf(order).advertiser)}`,
  })
  return all.filter((each) => Date.parse(momentOf(each, 'updateTime') ?? '') >= since)
}

/** Without the orders that are remembered as others of ours. */
async function unknown({ memory }: Finder, { tenantId }: OrderKey, orders: readonly Message[]): Promise<readonly Message[]> {
  const names = orders.map(nameOf)
  const known = await memory.known(tenantId, 'order', names.slice(0, MOST_ASKED))
  return orders.filter((order) => !known.has(nameOf(order)))
}

/** Names of one question. */
const MOST_ASKED = 1_000

function marksOf({ written }: OrderMemo): OrderMarks {
  return { displayName: String(written.displayName), advertiser: String(written.advertiser) }
}

/** Ids grow. */
function byAge(a: Message, b: Message): number {
  const [one, other] = [nameOf(a), nameOf(b)]
  return one.length - other.length || (one < other ? -1 : 1)
}

/** Whether an order serves no more. */
export function isOver(message: Message): boolean {
  const status = textOf(message, 'status')
  return message.archived === true || status === 'CANCELED' || status === 'DELETED'
}

/** A text of a filter. */
function quoted(text: string): string {
  return JSON.stringify(text)
}
