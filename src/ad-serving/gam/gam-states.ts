import type { OrderKey, ServingState } from '../../domain/ad-serving/desired-order.ts'
import type { LineRef } from '../../domain/ad-serving/step.ts'
import type { GamClient, Message } from './client.ts'
import { GamForbidden } from './gam-error.ts'
import { findLine, linesOfOrder, noteLineState } from './gam-lines.ts'
import { findOrders, type GamOrder, noteOrderState, orderState, requireOrder } from './gam-orders.ts'
import { nameOf, textOf } from './messages.ts'
import { readLineNote } from './notes.ts'
import { gamLineState, isRunning } from './observed-line.ts'

/** Which approval our orders get. */
export type Approval = 'own' | 'person'

/** Pauses, resumes or archives an order. `duplicateId`: another order of the same key, which is ended. */
export async function setGamOrderState(
  client: GamClient,
  key: OrderKey,
  state: ServingState,
  { approval, duplicateId }: { readonly approval: Approval; readonly duplicateId?: string | undefined },
): Promise<void> {
  const order =
    duplicateId === undefined
      ? await requireOrder(client, key)
      : (await findOrders(client, key)).find(({ name }) => name === duplicateId)
  if (!order) return
  const lines = await linesOfOrder(client, order.name)
  if (state === 'ended') return endOrder(client, order, lines)
  await unarchiveOrder(client, order)
  await noteOrderState(client, order, state)
  if (state === 'paused') return act(client, 'lineItems:batchPause', lines.filter(isRunning))
  const wanted = lines.filter(
    (line) => readLineNote(textOf(line, 'notes'))?.state === 'active' && gamLineState(line) === 'paused',
  )
  if (wanted.length > 0) await run(client, order, wanted, approval)
}

async function endOrder(client: GamClient, { name, message }: GamOrder, lines: readonly Message[]): Promise<void> {
  if (orderState(message) === 'ended') return
  await act(client, 'lineItems:batchPause', lines.filter(isRunning))
  await client.post(`${client.network}/orders:batchArchive`, { names: [name] }, 'repeatable')
}

/** Brings an order back that someone archived; its lines stay archived. */
async function unarchiveOrder(client: GamClient, { name, message }: GamOrder): Promise<void> {
  if (message.archived === true) await client.post(`${client.network}/orders:batchUnarchive`, { names: [name] }, 'repeatable')
}

/** Starts, pauses or archives a line. While its order is paused, what it would be is remembered alone. */
export async function setGamLineState(
  client: GamClient,
  key: OrderKey,
  ref: LineRef,
  { state, approval }: { readonly state: ServingState; readonly approval: Approval },
): Promise<void> {
  const order = await requireOrder(client, key)
  const line = await readLine(client, order, ref)
  if (state === 'ended') {
    if (line.archived === true) return
    await act(client, 'lineItems:batchPause', [line].filter(isRunning))
    return act(client, 'lineItems:batchArchive', [line])
  }
  if (line.archived === true) {
    await unarchiveOrder(client, order)
    await act(client, 'lineItems:batchUnarchive', [line])
    return setGamLineState(client, key, { ...ref, id: nameOf(line) }, { state, approval })
  }
  await noteLineState(client, line, state)
  if (state === 'paused') return act(client, 'lineItems:batchPause', [line].filter(isRunning))
  if (order.note.state === 'active' && !isRunning(line)) await run(client, order, [line], approval)
}

async function readLine(client: GamClient, order: GamOrder, ref: LineRef): Promise<Message> {
  const line = findLine(await linesOfOrder(client, order.name), ref)
  if (line) return line
  throw new Error(`line ${ref.externalId} is not at Google Ad Manager yet`)
}

/**
 * Lets lines serve. A draft order is approved first, which takes all its lines with it: those that are to stay paused are paused again; they have no
 * creatives yet, so that nothing is shown in between.
 */
async function run(client: GamClient, order: GamOrder, wanted: readonly Message[], approval: Approval): Promise<void> {
  const { name } = order
  if (textOf(order.message, 'status') === 'DRAFT') {
    if (!(await approve(client, name, approval))) return
    const lines = await linesOfOrder(client, name)
    const own = new Set(wanted.map(nameOf))
    const others = lines.filter((line) => isRunning(line) && !own.has(nameOf(line)) && isToBePaused(line))
    await act(client, 'lineItems:batchPause', others)
    return start(
      client,
      lines.filter((line) => own.has(nameOf(line))),
    )
  }
  await start(client, wanted)
}

function isToBePaused(line: Message): boolean {
  return readLineNote(textOf(line, 'notes'))?.state === 'paused'
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
