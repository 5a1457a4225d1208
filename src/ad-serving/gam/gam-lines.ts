import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { LineRef } from '../../domain/ad-serving/step.ts'
import type { GamClient, Message } from './client.ts'
import type { GamOrder } from './gam-orders.ts'
import { digestsOf, type FieldParts, fieldsOf, lineName } from './line-fields.ts'
import { nameOf, textOf } from './messages.ts'
import { type LineNote, readLineNote, withNote } from './notes.ts'

/** Every line item of an order, archived ones included. */
export function linesOfOrder(client: GamClient, orderName: string): Promise<readonly Message[]> {
  return client.list(`${client.network}/lineItems`, 'lineItems', { filter: `order = "${orderName}"`, orderBy: 'createTime' })
}

/** Our line among those of an order: the one with the given id, else the one of our id that is not over. */
export function findLine(lines: readonly Message[], { id, externalId }: LineRef): Message | undefined {
  const ours = lines.filter((line) => textOf(line, 'externalLineItemId') === externalId)
  return ours.find((line) => id !== undefined && line.name === id) ?? ours.find(({ archived }) => archived !== true)
}

/** Writes a line: creates it as a draft, or changes the members that differ. Throws AdcpError, a refusal, for what cannot be mapped. */
export async function putGamLine(
  client: GamClient,
  order: GamOrder,
  line: LineRef,
  settings: LineSettings,
  parts: FieldParts,
): Promise<void> {
  const fields: Message = { ...(await fieldsOf(settings, parts)), displayName: lineName(line.externalId, settings) }
  const found = findLine(await linesOfOrder(client, order.name), line)
  if (!found || found.archived === true) {
    const note: LineNote = { settings, state: 'paused', written: digestsOf(fields) }
    const lineItem = { ...fields, order: order.name, externalLineItemId: line.externalId, notes: withNote(undefined, note) }
    const body = { requests: [{ parent: client.network, lineItem }] }
    await client.post(`${client.network}/lineItems:batchCreate`, body, 'creation')
    return
  }
  await updateLine(client, found, settings, withoutPastStart(fields, found, parts.now))
}

/** The start of a line that has begun is not written any more: the API refuses that. */
function withoutPastStart(fields: Message, found: Message, now: Date): Message {
  const { startTime } = found
  const hasBegun = typeof startTime === 'string' && Date.parse(startTime) <= now.getTime()
  return hasBegun ? { ...fields, startTime } : fields
}

/** Members that are compared, and those that go with them. */
const WITH: Readonly<Record<string, readonly string[]>> = { rate: ['rate', 'costType'] }

async function updateLine(client: GamClient, found: Message, settings: LineSettings, fields: Message): Promise<void> {
  const [wanted, has] = [digestsOf(fields), digestsOf(found)]
  const changed = Object.keys(wanted).filter((name) => wanted[name] !== has[name])
  const members = [...changed.flatMap((name) => WITH[name] ?? [name]), 'notes']
  const state = readLineNote(textOf(found, 'notes'))?.state ?? 'paused'
  const notes = withNote(textOf(found, 'notes'), { settings, state, written: wanted })
  const all: Message = { ...fields, notes }
  const lineItem = { name: nameOf(found), ...Object.fromEntries(members.map((name) => [name, all[name]])) }
  await postUpdate(client, lineItem, members)
}

/** Remembers the state that a line was given. */
export async function noteLineState(client: GamClient, line: Message, state: LineNote['state']): Promise<void> {
  const notes = textOf(line, 'notes')
  const note = readLineNote(notes)
  if (!note || note.state === state) return
  await postUpdate(client, { name: nameOf(line), notes: withNote(notes, { ...note, state }) }, ['notes'])
}

async function postUpdate(client: GamClient, lineItem: Message, members: readonly string[]): Promise<void> {
  const body = { requests: [{ lineItem, updateMask: members.join(',') }] }
  await client.post(`${client.network}/lineItems:batchUpdate`, body, 'repeatable')
}
