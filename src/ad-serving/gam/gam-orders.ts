import type { OrderKey, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedState, OtherChange } from '../../domain/ad-serving/observed-order.ts'
import { sameValue } from '../../domain/same-value.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamClient, Message } from './client.ts'
import { comparableCustomFields, customFieldValues } from './custom-fields.ts'
import { findBeforeCreation, findOrder, type GamOrder, isOver } from './find-order.ts'
import type { GamParts } from './gam-parts.ts'
import { messagesOf, textOf, textsOf } from './messages.ts'
import { orderAnchor } from './order-anchor.ts'
import type { OrderMemo, Written } from './remembered.ts'

/** State of the order itself; that it is paused is remembered by us. */
export function orderState(message: Message): ObservedState {
  if (isOver(message)) return 'ended'
  const status = textOf(message, 'status')
  if (status === 'PENDING_APPROVAL') return 'waiting'
  return status === 'DISAPPROVED' ? 'rejected' : 'active'
}

/** Longest name of an order. */
const MOST_NAME = 255

/** The members of an order that we write; all of them are compared. */
async function fieldsOf({ client, lookups, options }: GamParts, key: OrderKey, settings: OrderSettings) {
  const { teams, customFields } = options
  return {
    displayName: settings.name.slice(-MOST_NAME),
    trafficker: await lookups.trafficker(),
    advertiser: await lookups.advertiser(settings.advertiserId),
    externalOrderId: orderAnchor(key),
    ...(teams.length > 0 && { appliedTeams: teams.map((id) => `${client.network}/teams/${id}`).sort() }),
    ...(Object.keys(customFields).length > 0 && { customFieldValues: customFieldValues(client, customFields) }),
  }
}

type OrderFields = Awaited<ReturnType<typeof fieldsOf>>

/** Values of those members as they are at the network. */
const COMPARED: Readonly<Record<keyof OrderFields, (order: Message) => unknown>> = {
  displayName: (order) => textOf(order, 'displayName'),
  trafficker: (order) => textOf(order, 'trafficker'),
  advertiser: (order) => textOf(order, 'advertiser'),
  externalOrderId: (order) => Number(order.externalOrderId ?? 0),
  appliedTeams: (order) => {
    const teams = [...textsOf(order, 'appliedTeams')].sort()
    return teams.length === 0 ? undefined : teams
  },
  customFieldValues: comparableCustomFields,
}

/** Members that people may add to orders which we write none for. */
const THEIRS = ['appliedTeams', 'customFieldValues']

function comparable(order: Message): Written {
  return Object.fromEntries(Object.entries(COMPARED).map(([name, value]) => [name, value(order) ?? null]))
}

/** Writes an order; a new one is a draft until a line of it is to serve. Throws AdcpError when it cannot be kept, MissingThere when it may be there already. */
export async function putGamOrder(parts: GamParts, key: OrderKey, settings: OrderSettings): Promise<void> {
  const { client, lookups, memory, clock } = parts
  const { name, advertiserId } = settings
  const currency = await lookups.currency()
  if (settings.currency !== currency)
    throw new AdcpError('UNSUPPORTED_FEATURE', `currency ${settings.currency}: the network books in ${currency}`)
  const fields = await fieldsOf(parts, key, settings)
  const kept = { settings: { name, advertiserId, currency }, written: fields }
  const recalled = await memory.recall(key)
  const fresh: OrderMemo = { ...kept, state: 'active', since: recalled.order?.since ?? clock().toISOString() }
  const found = (await findOrder(parts, key)) ?? (await findBeforeCreation(parts, key, recalled, fresh))
  if (found) {
    const has = comparable(found.message)
    const changed = Object.entries(fields).flatMap(([member, value]) => (sameValue(has[member], value) ? [] : member))
    const order = { name: found.name, ...Object.fromEntries(changed.map((member) => [member, Reflect.get(fields, member)])) }
    // What is archived takes no change.
    if (changed.length > 0) await unarchiveOrder(client, found)
    if (changed.length > 0) await updateOrder(client, order, changed)
    return memory.saveOrder(key, { ...found.memo, ...kept, name: found.name })
  }
  // Known before it is made: an answer that is lost leaves something to look for.
  await memory.saveOrder(key, { ...fresh, name: undefined })
  const made = await client.post(
    `${client.network}/orders:batchCreate`,
    { requests: [{ parent: client.network, order: fields }] },
    'creation',
  )
  const resource = textOf(messagesOf(made, 'orders')[0], 'name')
  if (resource !== undefined) await memory.saveOrder(key, { ...fresh, name: resource })
}

/** Brings an order back that someone archived; its lines stay archived. */
export async function unarchiveOrder(client: GamClient, { name, message }: Pick<GamOrder, 'name' | 'message'>): Promise<void> {
  if (message.archived === true) await client.post(`${client.network}/orders:batchUnarchive`, { names: [name] }, 'repeatable')
}

/** Remembers whether an order is paused. */
export async function rememberOrderState(
  { memory }: Pick<GamParts, 'memory'>,
  key: OrderKey,
  { name, memo }: GamOrder,
  state: OrderMemo['state'],
): Promise<void> {
  if (memo.state !== state) await memory.saveOrder(key, { ...memo, state, name })
}

async function updateOrder(client: GamClient, order: Message, fields: readonly string[]): Promise<void> {
  const body = { requests: [{ order, updateMask: fields.join(',') }] }
  await client.post(`${client.network}/orders:batchUpdate`, body, 'repeatable')
}

/** What someone did to the members that we wrote; its name as it is. */
export function observedSettings({ message, memo }: GamOrder): Partial<OrderSettings> {
  const displayName = textOf(message, 'displayName') ?? ''
  const currency = textOf(message, 'currencyCode')
  return {
    name: displayName === memo.written.displayName ? memo.settings.name : displayName,
    advertiserId: memo.settings.advertiserId,
    ...(currency !== undefined && { currency }),
  }
}

/** Members that someone changed and that no setting of an order stands for. */
export function otherChanges({ message, memo }: GamOrder): readonly OtherChange[] {
  const has = comparable(message)
  return Object.keys(COMPARED).flatMap((field) => {
    const [expected, observed] = [memo.written[field] ?? null, has[field] ?? null]
    const isTheirs = expected === null && THEIRS.includes(field)
    return field === 'displayName' || isTheirs || sameValue(expected, observed) ? [] : [{ field, expected, observed }]
  })
}
