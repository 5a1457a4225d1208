import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { RememberedId } from '../../domain/ad-serving/id-memory.ts'
import type { ObservedLine, ObservedOrder, ObservedState } from '../../domain/ad-serving/observed-order.ts'
import { findOrderId, getOrderId, type Json, listIn, pathOf, textOf, type Upstream } from './upstream-parts.ts'

/** The order as the API has it; undefined: there is none, or none any more. */
export async function observeOrder(up: Upstream, order: OrderKey): Promise<ObservedOrder | undefined> {
  const orderId = await findOrderId(up, order)
  return orderId === undefined || !(await up.api.find(pathOf(orderId))) ? undefined : getThere(up, order)
}

/** An order that has to be there. Asks for its approval, which makes progress so. */
export async function getThere(up: Upstream, order: OrderKey): Promise<ObservedOrder> {
  const { api, ids } = up
  const orderId = await getOrderId(up, order)
  const [first, known] = await Promise.all([api.find(pathOf(orderId)), ids.list(order)])
  // The approval makes progress when its task is asked for.
  const taskId = first?.approval_task_id
  if (typeof taskId === 'string') await api.find(`/v1/tasks/${encodeURIComponent(taskId)}`)
  const found = typeof taskId === 'string' ? await api.find(pathOf(orderId)) : first
  if (!found) throw new Error(`the order ${orderId} is no longer there`)
  const lines = listIn(await api.find(`${pathOf(orderId)}/lineitems`), 'line_items')
  const state = stateOf(textOf(found.status))
  return {
    id: orderId,
    state,
    ...(state === 'waiting' && { reason: 'waits for approval at the ad server' }),
    ...(typeof found.rejection_reason === 'string' && { reason: found.rejection_reason }),
    settings: {
      ...(typeof found.budget === 'number' && { budgetMicros: Math.round(found.budget * 1_000_000) }),
      ...(typeof found.currency === 'string' && { currency: found.currency }),
    },
    lines: lines.map((line) => observedLine(line, known)),
    creatives: known.flatMap(({ kind, externalId, theirId, version }) =>
      kind === 'creative' ? [{ id: theirId, externalId, contentVersion: version }] : [],
    ),
  }
}

function observedLine(line: Json, known: readonly RememberedId[]): ObservedLine {
  const id = textOf(line.line_item_id)
  const ours = known.find(({ kind, theirId }) => kind === 'line' && theirId === id)
  const shown = Array.isArray(line.creative_ids) ? line.creative_ids : []
  return {
    id,
    ...(ours && { externalId: ours.externalId }),
    // A line has no pause of its own.
    state: 'active',
    settings: typeof line.budget === 'number' ? { budgetMicros: Math.round(line.budget * 1_000_000) } : {},
    associations: known
      .filter(({ kind, theirId }) => kind === 'creative' && shown.includes(theirId.split(' ')[0]))
      .map(({ externalId }) => ({ creativeExternalId: externalId, weight: null, placementIds: null }))
      .sort((a, b) => (a.creativeExternalId < b.creativeExternalId ? -1 : 1)),
  }
}

function stateOf(status: string): ObservedState {
  if (status === 'pending_approval') return 'waiting'
  if (status === 'rejected') return 'rejected'
  return status === 'completed' || status === 'canceled' ? 'ended' : 'active'
}
