import type { OrderKey, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedState } from '../../domain/ad-serving/observed-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamClient, Message } from './client.ts'
import type { Lookups } from './lookups.ts'
import { nameOf, textOf } from './messages.ts'
import { type OrderNote, orderAnchor, readOrderNote, withNote } from './notes.ts'

/** An order of ours at the network. */
export interface GamOrder {
  readonly name: string
  readonly message: Message
  readonly note: OrderNote
}

/** Every order of a key that is there, oldest first; there is one, unless two programs made it at the same moment. */
export async function findOrders(client: GamClient, key: OrderKey): Promise<readonly GamOrder[]> {
  const all = await client.list(`${client.network}/orders`, 'orders', { filter: `externalOrderId = ${orderAnchor(key)}` })
  return all
    .flatMap((message) => {
      const note = readOrderNote(textOf(message, 'notes'))
      const isOurs = note?.key.externalId === key.externalId && note.key.tenantId === key.tenantId
      return isOurs ? [{ name: nameOf(message), message, note }] : []
    })
    .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
}

/** The order of a key: one that is not over counts before one that is. */
export function chosenOrder(orders: readonly GamOrder[]): GamOrder | undefined {
  return orders.find(({ message }) => orderState(message) !== 'ended') ?? orders[0]
}

/** Throws an outage when there is none yet: the reconciler writes it first. */
export async function requireOrder(client: GamClient, key: OrderKey): Promise<GamOrder> {
  const found = chosenOrder(await findOrders(client, key))
  if (!found) throw new Error(`order ${key.externalId} is not at Google Ad Manager yet`)
  return found
}

/** State of the order itself; that it is paused lies in its note. */
export function orderState(message: Message): ObservedState {
  const status = textOf(message, 'status')
  if (message.archived === true || status === 'CANCELED' || status === 'DELETED') return 'ended'
  if (status === 'PENDING_APPROVAL') return 'waiting'
  return status === 'DISAPPROVED' ? 'rejected' : 'active'
}

/** Longest name of an order. */
const MOST_NAME = 255

/** Writes an order; a new one is a draft until a line of it is to serve. Throws AdcpError when it cannot be kept. */
export async function putGamOrder(client: GamClient, lookups: Lookups, key: OrderKey, settings: OrderSettings): Promise<void> {
  const { name, advertiserId } = settings
  const currency = await lookups.currency()
  if (settings.currency !== currency)
    throw new AdcpError('UNSUPPORTED_FEATURE', `currency ${settings.currency}: the network books in ${currency}`)
  const found = chosenOrder(await findOrders(client, key))
  const displayName = settings.name.slice(-MOST_NAME)
  if (found) {
    const order = {
      name: found.name,
      displayName,
      notes: withNote(textOf(found.message, 'notes'), { ...found.note, settings: { name, advertiserId, currency } }),
    }
    await updateOrder(client, order, ['displayName', 'notes'])
    return
  }
  const note: OrderNote = { key, settings: { name, advertiserId, currency }, state: 'active' }
  const order = {
    displayName,
    trafficker: await lookups.trafficker(),
    advertiser: await lookups.advertiser(settings.advertiserId),
    externalOrderId: orderAnchor(key),
    notes: withNote(undefined, note),
  }
  const body = { requests: [{ parent: client.network, order }] }
  await client.post(`${client.network}/orders:batchCreate`, body, 'creation')
}

/** Remembers whether an order is paused. */
export async function noteOrderState(
  client: GamClient,
  { name, message, note }: GamOrder,
  state: OrderNote['state'],
): Promise<void> {
  if (note.state === state) return
  const notes = withNote(textOf(message, 'notes'), { ...note, state })
  await updateOrder(client, { name, notes }, ['notes'])
}

async function updateOrder(client: GamClient, order: Message, fields: readonly string[]): Promise<void> {
  const body = { requests: [{ order, updateMask: fields.join(',') }] }
  await client.post(`${client.network}/orders:batchUpdate`, body, 'repeatable')
}

/** What someone did to the members that we wrote; its name as it is. */
export function observedSettings({ message, note }: GamOrder): Partial<OrderSettings> {
  const displayName = textOf(message, 'displayName') ?? ''
  const isOurs = displayName === note.settings.name.slice(-MOST_NAME)
  const currency = textOf(message, 'currencyCode')
  return {
    name: isOurs ? note.settings.name : displayName,
    advertiserId: note.settings.advertiserId,
    ...(currency !== undefined && { currency }),
  }
}
