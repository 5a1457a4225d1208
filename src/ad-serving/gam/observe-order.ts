import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedLine, ObservedOrder, ObservedState } from '../../domain/ad-serving/observed-order.ts'
import { writtenCreatives } from './associate-creatives.ts'
import type { Message } from './client.ts'
import { findOrder, type GamOrder } from './find-order.ts'
import { type ShownCreatives, shownCreatives } from './gam-creatives.ts'
import { type GamLine, isSame, linesWithHours, ourLines } from './gam-lines.ts'
import { observedSettings, orderState, otherChanges } from './gam-orders.ts'
import type { GamParts } from './gam-parts.ts'
import { nameOf } from './messages.ts'
import { gamLineState, isRunning, observedLine } from './observed-line.ts'

/** An order of ours at the network, with all of its lines. */
export interface OrderThere {
  readonly order: GamOrder
  readonly lines: readonly Message[]
  /** By our id. */
  readonly ours: ReadonlyMap<string, GamLine>
}

/** An order as it is at the network; undefined: there is none. */
export async function observeGamOrder(parts: GamParts, key: OrderKey): Promise<ObservedOrder | undefined> {
  const order = await findOrder(parts, key)
  if (!order) return undefined
  const lines = await linesWithHours(parts, [order])
  const there = { order, lines, ours: await ourLines(parts, key, order, lines) }
  const shows = [{ key, lines: linesThatShow(there) }]
  const [shown] = parts.options.creatives === 'api' ? await writtenCreatives(parts, shows) : await shownCreatives(parts, shows)
  return shown && observedOrder(parts, there, shown)
}

/** Lines of ours of which it is read what they show. */
export function linesThatShow({ ours }: OrderThere): readonly GamLine[] {
  return [...ours.values()].filter(({ message }) => gamLineState(message) !== 'ended')
}

/** An order of which everything was read. */
export async function observedOrder(
  { lookups }: Pick<GamParts, 'lookups'>,
  { order, lines, ours }: OrderThere,
  shown: ShownCreatives,
): Promise<ObservedOrder> {
  const state = stateOf(order, lines)
  const orderPaused = order.memo.state === 'paused'
  const observed = [...ours].map(([externalId, { message, memo }]) => {
    const associations = shown.byLine.get(nameOf(message)) ?? []
    return observedLine(message, { externalId, memo, orderPaused, associations }, lookups)
  })
  const names = new Set([...ours.values()].map(({ message }) => nameOf(message)))
  const added = lines.filter((line) => !names.has(nameOf(line))).map((line) => addedLine(line, ours))
  const others = otherChanges(order)
  return {
    id: order.name,
    state,
    settings: observedSettings(order),
    lines: [...(await Promise.all(observed)), ...added],
    creatives: shown.creatives,
    ...(others.length > 0 && { others }),
    ...(order.duplicates.length > 0 && { duplicateIds: order.duplicates.map(nameOf) }),
    ...(state === 'waiting' && { reason: 'the order waits for approval in Google Ad Manager' }),
    ...(state === 'rejected' && { reason: 'the order was disapproved in Google Ad Manager' }),
  }
}

/** A line that we did not make; one that agrees with one of ours in external id and name is a second one of it. */
function addedLine(line: Message, ours: ReadonlyMap<string, GamLine>): ObservedLine {
  const same = [...ours].find(([, { memo }]) => isSame(line, memo))
  return {
    id: nameOf(line),
    ...(same && { externalId: same[0] }),
    state: gamLineState(line),
    settings: {},
    associations: [],
  }
}

/** An order that we paused and of which a line runs is not paused any more. */
function stateOf({ message, memo }: GamOrder, lines: readonly Message[]): ObservedState {
  const state = orderState(message)
  return state === 'active' && memo.state === 'paused' && !lines.some(isRunning) ? 'paused' : state
}
