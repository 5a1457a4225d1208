import type { LineSettings, OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { LineRef } from '../../domain/ad-serving/step.ts'
import { MissingThere } from '../missing-there.ts'
import type { GamClient, Message } from './client.ts'
import { comparable, completed, differing, membersOf, written } from './compared-line.ts'
import { DAYPARTS, withoutDayparts } from './dayparts.ts'
import { type GamOrder, requireOrder } from './find-order.ts'
import { unarchiveOrder } from './gam-orders.ts'
import type { GamParts } from './gam-parts.ts'
import { fieldsOf, type LineFields } from './line-fields.ts'
import { messageOf, messagesOf, momentOf, nameOf, textOf } from './messages.ts'
import type { LineMemo } from './remembered.ts'
import { linesWithDayparts, writeSoapTargeting } from './soap-lines.ts'

/** A line of ours at the network. */
export interface GamLine {
  readonly message: Message
  readonly memo: LineMemo
}

/** Every line item of an order, archived ones included; its hours are not among their members. */
export function linesOfOrder(client: GamClient, orderName: string): Promise<readonly Message[]> {
  return linesOfOrders(client, [orderName])
}

/** The same of some orders, by one call for each thousand of them. */
async function linesOfOrders(client: GamClient, orderNames: readonly string[]): Promise<readonly Message[]> {
  if (orderNames.length === 0) return []
  const filter = orderNames.map((name) => `order = "${name}"`).join(' OR ')
  return client.list(`${client.network}/lineItems`, 'lineItems', { filter, orderBy: 'createTime' })
}

/**
 * Line items of orders with the hours of those lines of ours that have, or had, some; `all`: of every line of ours, so that hours are seen which people gave one. At most 50 orders: a URL has
 * some thousand characters.
 */
export async function linesWithHours(
  parts: Pick<GamParts, 'client' | 'soap'>,
  orders: readonly GamOrder[],
  which: 'daily' | 'all' = 'daily',
): Promise<readonly Message[]> {
  const lines = await linesOfOrders(
    parts.client,
    orders.map(({ name }) => name),
  )
  const ours = orders.flatMap((order) => [...order.lines.values()])
  const daily = new Set(ours.flatMap(({ hasHours, name }) => (hasHours && name !== undefined ? name : [])))
  const asked = which === 'daily' ? daily : new Set(ours.map(({ name }) => name))
  const some = lines.filter(({ name }) => asked.has(String(name)))
  const isDaily = ({ name }: Message) => daily.has(String(name))
  const read = new Map((await linesWithDayparts(parts, some, isDaily)).map((line) => [line.name, line]))
  return lines.map((line) => read.get(line.name) ?? line)
}

/**
 * Our lines among those of an order, by our id: those whose resource name is remembered, whatever people made of them; else those that agree in external id and name with
 * what was about to be made, which are remembered from then on.
 */
export async function ourLines(
  { memory }: Pick<GamParts, 'memory'>,
  key: OrderKey,
  order: GamOrder,
  lines: readonly Message[],
): Promise<ReadonlyMap<string, GamLine>> {
  const found = new Map<string, GamLine>()
  for (const [externalId, { name, ...memo }] of order.lines) {
    const message = lines.find((line) =>
      name === undefined ? isSame(line, memo) && !isRemembered(line, order) : line.name === name,
    )
    if (!message) continue
    const own = name === undefined ? { ...memo, written: completed(memo.written, comparable(message)) } : memo
    if (name === undefined) await memory.saveLine(key, externalId, { ...own, name: nameOf(message) })
    found.set(externalId, { message, memo: own })
  }
  return found
}

/** Whether a line that is not remembered agrees in what it would be found by. */
export function isSame(line: Message, { written: { externalLineItemId, displayName } }: Pick<LineMemo, 'written'>): boolean {
  return textOf(line, 'externalLineItemId') === externalLineItemId && textOf(line, 'displayName') === displayName
}

export function isRemembered(line: Message, { lines }: Pick<GamOrder, 'lines'>): boolean {
  return [...lines.values()].some(({ name }) => name === line.name)
}

/** Writes a line: creates it as a draft, or changes the members that differ. Throws AdcpError, a refusal, for what cannot be mapped. */
export async function putGamLine(parts: GamParts, key: OrderKey, { externalId }: LineRef, settings: LineSettings): Promise<void> {
  const { client, memory, clock } = parts
  const order = await requireOrder(parts, key)
  const fields = await fieldsOf(externalId, settings, parts)
  const lines = await linesWithHours(parts, [order])
  const found = (await ourLines(parts, key, order, lines)).get(externalId)
  if (found) return updateLine(parts, { key, externalId, order }, found, settings, fields)
  const remembered = order.lines.get(externalId)
  const since = remembered?.since ?? clock().toISOString()
  const hasHours = fields.targeting[DAYPARTS] !== undefined
  const fresh: LineMemo = { settings, state: 'paused', written: comparable(fields), since, ...(hasHours && { hasHours }) }
  await requireAbsent(parts, key, externalId, { order, lines, fresh })
  // Known before it is made: an answer that is lost leaves something to look for.
  await memory.saveLine(key, externalId, { ...fresh, name: undefined })
  const body = { requests: [{ parent: client.network, lineItem: { ...withoutDayparts(fields), order: order.name } }] }
  const [made] = messagesOf(await client.post(`${client.network}/lineItems:batchCreate`, body, 'creation'), 'lineItems')
  if (made) await memory.saveLine(key, externalId, { ...fresh, written: written(fields, comparable(made)), name: nameOf(made) })
  if (made && hasHours) await writeSoapTargeting(parts, made, targetingOf(fields))
}

/** What the SOAP API is given of a line. */
function targetingOf({ targeting, allowOverbook = false }: LineFields) {
  return { targeting, allowOverbook }
}

/** The clock of the network and ours. */
const CLOCKS_MS = 10 * 60_000

/** Throws {@link MissingThere} when the line was there, or when a line of its order may be it, edited by a person since it was made. */
async function requireAbsent(
  { memory }: GamParts,
  key: OrderKey,
  externalId: string,
  { order, lines, fresh }: { readonly order: GamOrder; readonly lines: readonly Message[]; readonly fresh: LineMemo },
): Promise<void> {
  const remembered = order.lines.get(externalId)
  if (remembered?.name !== undefined)
    throw new MissingThere(`line ${externalId} (${remembered.name}) is not at Google Ad Manager any more`, externalId)
  const { anew } = await memory.recall(key)
  if (anew.has(`line ${externalId}`)) return
  const { externalLineItemId, displayName } = (remembered ?? fresh).written
  const isSimilar = (line: Message) =>
    textOf(line, 'externalLineItemId') === externalLineItemId || textOf(line, 'displayName') === displayName
  // An answer was lost: a person may have changed external id and name meanwhile.
  const since = remembered && Date.parse(remembered.since) - CLOCKS_MS
  const isRecent = (line: Message) => since !== undefined && Date.parse(momentOf(line, 'createTime') ?? '') >= since
  const others = lines.filter((line) => !isRemembered(line, order) && (isSimilar(line) || isRecent(line)))
  const [first] = others
  if (!first) return
  const message = `${nameOf(first)} (${textOf(first, 'displayName')}) of ${order.name} may be line ${externalId}, but its external id or name is another; give it those back there`
  throw new MissingThere(`${message}: "${String(displayName)}", ${String(externalLineItemId)}`, externalId)
}

interface LineAt {
  readonly key: OrderKey
  readonly externalId: string
  readonly order: GamOrder
}

async function updateLine(
  parts: GamParts,
  { key, externalId, order }: LineAt,
  { message, memo: before }: GamLine,
  settings: LineSettings,
  all: LineFields,
): Promise<void> {
  const { client, memory, clock } = parts
  const name = nameOf(message)
  const fields = asTheyRotate(withoutPastStart(all, message, clock()), before)
  const memo: LineMemo = { ...before, ...(fields.targeting[DAYPARTS] !== undefined && { hasHours: true }) }
  const [wanted, has] = [written(fields, memo.written), comparable(message)]
  const members = membersOf(differing(wanted, has))
  // What is being written is ours, also when the answer is lost.
  await memory.saveLine(key, externalId, { ...memo, settings, written: wanted, name })
  if (members.length === 0) return
  await unarchiveLine(client, order, message)
  // The REST API would write a targeting without the hours.
  const bySoap = memo.hasHours === true && members.includes('targeting')
  const byRest = members.filter((member) => !(bySoap && member === 'targeting'))
  const made = byRest.length === 0 ? message : await updateMembers(client, name, byRest, fields)
  if (made) await memory.saveLine(key, externalId, { ...memo, settings, written: written(fields, comparable(made)), name })
  if (bySoap) await writeSoapTargeting(parts, made ?? message, targetingOf(fields))
}

async function updateMembers(client: GamClient, name: string, members: readonly string[], fields: LineFields) {
  const values = members.map((member) => [member, Reflect.get(fields, member)])
  const body = { requests: [{ lineItem: { name, ...Object.fromEntries(values) }, updateMask: members.join(',') }] }
  const [made] = messagesOf(await client.post(`${client.network}/lineItems:batchUpdate`, body, 'repeatable'), 'lineItems')
  return made
}

/** Brings a line back that someone archived, and its order; it is paused then. */
export async function unarchiveLine(client: GamClient, order: GamOrder, line: Message): Promise<void> {
  if (line.archived !== true) return
  await unarchiveOrder(client, order)
  await client.post(`${client.network}/lineItems:batchUnarchive`, { names: [nameOf(line)] }, 'repeatable')
}

/** The start of a line that has begun is not written any more: the API refuses that. */
function withoutPastStart(fields: LineFields, { startTime }: Message, now: Date): LineFields {
  const hasBegun = typeof startTime === 'string' && Date.parse(startTime) <= now.getTime()
  return hasBegun ? { ...fields, startTime } : fields
}

/** How its creatives rotate was written with them. */
function asTheyRotate(fields: LineFields, { written: { creativeRotationType: rotation } }: LineMemo): LineFields {
  return typeof rotation === 'string' ? { ...fields, creativeRotationType: rotation } : fields
}

/** Remembers of lines that a person gave hours that they have some: they are read with them from then on. True when there was one. */
export async function rememberHours(
  { memory }: Pick<GamParts, 'memory'>,
  key: OrderKey,
  ours: ReadonlyMap<string, GamLine>,
): Promise<boolean> {
  const given = [...ours].filter(
    ([, { message, memo }]) => !memo.hasHours && messageOf(messageOf(message, 'targeting'), DAYPARTS),
  )
  if (given.length === 0) return false
  const { lines } = await memory.recall(key)
  for (const [externalId] of given) {
    const own = lines.get(externalId)
    if (own) await memory.saveLine(key, externalId, { ...own, hasHours: true })
  }
  return true
}

/** Remembers the state that a line was given. */
export async function rememberLineState(
  { memory }: Pick<GamParts, 'memory'>,
  key: OrderKey,
  externalId: string,
  { message, memo }: GamLine,
  state: LineMemo['state'],
): Promise<void> {
  if (memo.state !== state) await memory.saveLine(key, externalId, { ...memo, state, name: nameOf(message) })
}
