import type { OrderKey, ServingState } from '../../domain/ad-serving/desired-order.ts'
import type { LineRef } from '../../domain/ad-serving/step.ts'
import { MissingThere } from '../missing-there.ts'
import type { GamClient, Message } from './client.ts'
import { findOrder, type GamOrder, requireOrder } from './find-order.ts'
import { GamForbidden } from './gam-error.ts'
import { type GamLine, isSame, linesOfOrder, ourLines, rememberLineState, unarchiveLine } from './gam-lines.ts'
import { orderState, rememberOrderState, unarchiveOrder } from './gam-orders.ts'
import type { GamParts } from './gam-parts.ts'
import { nameOf, textOf } from './messages.ts'
import { gamLineState, isRunning } from './observed-line.ts'

/** Which approval our orders get. */
export type Approval = 'own' | 'person'

/** Pauses, resumes or archives an order. `duplicateId`: another order of the same key, which is ended. */
export async function setGamOrderState(parts: GamParts, key: OrderKey, state: ServingState, duplicateId?: string): Promise<void> {
  const { client } = parts
  if (duplicateId !== undefined) return endDuplicate(parts, key, duplicateId)
  const order = await requireOrder(parts, key)
  const lines = await linesOfOrder(client, order.name)
  if (state === 'ended') return endOrder(client, order.message, lines)
  await unarchiveOrder(client, order)
  await rememberOrderState(parts, key, order, state)
  if (state === 'paused') return act(client, 'lineItems:batchPause', lines.filter(isRunning))
  const ours = [...(await ourLines(parts, key, order, lines)).values()]
  const wanted = ours.filter(({ message, memo }) => memo.state === 'active' && gamLineState(message) === 'paused')
  if (wanted.length > 0) await run(parts, key, order, wanted.map(messageOf))
}

function messageOf({ message }: GamLine): Message {
  return message
}

async function endDuplicate(parts: GamParts, key: OrderKey, duplicateId: string): Promise<void> {
  const { client } = parts
  const found = (await findOrder(parts, key))?.duplicates.find(({ name }) => name === duplicateId)
  if (found) await endOrder(client, found, await linesOfOrder(client, duplicateId))
}

async function endOrder(client: GamClient, order: Message, lines: readonly Message[]): Promise<void> {
  if (orderState(order) === 'ended') return
  await act(client, 'lineItems:batchPause', lines.filter(isRunning))
  await client.post(`${client.network}/orders:batchArchive`, { names: [nameOf(order)] }, 'repeatable')
}

/** Starts, pauses or archives a line. While its order is paused, what it would be is remembered alone. A line of another resource name than ours is a duplicate, and ended. */
export async function setGamLineState(parts: GamParts, key: OrderKey, ref: LineRef, state: ServingState): Promise<void> {
  const { client } = parts
  const order = await requireOrder(parts, key)
  const lines = await linesOfOrder(client, order.name)
  const ours = (await ourLines(parts, key, order, lines)).get(ref.externalId)
  if (!ours) throw new MissingThere(`line ${ref.externalId} is not at Google Ad Manager`, ref.externalId)
  if (state === 'ended') {
    const other = lines.find((line) => line.name === ref.id && isSame(line, ours.memo))
    const line = other ?? ours.message
    if (line.archived === true) return
    await act(client, 'lineItems:batchPause', [line].filter(isRunning))
    return act(client, 'lineItems:batchArchive', [line])
  }
  const isBack = ours.message.archived === true
  await unarchiveLine(client, order, ours.message)
  const line = isBack
    ? ((await linesOfOrder(client, order.name)).find(({ name }) => name === ours.message.name) ?? ours.message)
    : ours.message
  await rememberLineState(parts, key, ref.externalId, ours, state)
  if (state === 'paused') return act(client, 'lineItems:batchPause', [line].filter(isRunning))
  if (order.memo.state === 'active' && !isRunning(line)) await run(parts, key, order, [line])
}

/**
 * Lets lines serve. A draft order is approved first, which takes all its lines with it: those that are to stay paused are paused again; they have no
 * creatives yet, so that nothing is shown in between.
 */
async function run(parts: GamParts, key: OrderKey, order: GamOrder, wanted: readonly Message[]): Promise<void> {
  const { client, options } = parts
  const { name } = order
  if (textOf(order.message, 'status') === 'DRAFT') {
    if (!(await approve(client, name, options.approval))) return
    const lines = await linesOfOrder(client, name)
    const own = new Set(wanted.map(nameOf))
    const ours = await ourLines(parts, key, order, lines)
    const others = [...ours.values()].filter(
      ({ message, memo }) => isRunning(message) && !own.has(nameOf(message)) && memo.state === 'paused',
    )
    await act(client, 'lineItems:batchPause', others.map(messageOf))
    return start(
      client,
      lines.filter((line) => own.has(nameOf(line))),
    )
  }
  await start(client, wanted)
}

async function start(client: GamClient, lines: readonly Message[]): Promise<void> {
  const withStatus = (...statuses: readonly string[]) => lines.filter((line) => statuses.includes(textOf(line, 'status') ?? ''))
  await act(client, 'lineItems:batchReserve', withStatus('DRAFT'))
  await act(client, 'lineItems:batchResume', withStatus('PAUSED', 'PAUSED_INVENTORY_RELEASED'))
}

/** True when the order is approved; else it is submitted and waits for a person, as it does when our user may not approve. */
async function approve(client: GamClient, name: string, approval: Approval): Promise<boolean> {
  const body = { names: [name] }
  if (approval === 'own') {
    try {
      await client.post(`${client.network}/orders:batchApprove`, body, 'repeatable')
      return true
    } catch (error) {
      if (!(error instanceof GamForbidden)) throw error
    }
  }
  await client.post(`${client.network}/orders:batchSubmitForApproval`, body, 'repeatable')
  return false
}

async function act(client: GamClient, action: string, resources: readonly Message[]): Promise<void> {
  if (resources.length === 0) return
  await client.post(`${client.network}/${action}`, { names: resources.map(nameOf) }, 'repeatable')
}
