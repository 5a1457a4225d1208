import { sameValue } from '../same-value.ts'
import type { BackendCapabilities } from './capabilities.ts'
import type { DesiredLine, DesiredOrder, ServingState } from './desired-order.ts'
import type { ObservedLine, ObservedOrder, ObservedState } from './observed-order.ts'
import { sameAssociations } from './same-associations.ts'
import type { Step } from './step.ts'

type Keeps = Pick<BackendCapabilities, 'creatives'>

/**
 * The steps that bring an ad server from what it has to what it should have, in the order in which they are safe: first what has to stop serving, then
 * orders, creatives and lines, last what may begin to serve. Empty when both agree. Settings that the ad server does not report are not compared;
 * lines that someone added there are left alone.
 */
export function diff(desired: DesiredOrder, observed: ObservedOrder | undefined, keeps: Keeps): readonly Step[] {
  if (desired.state === 'ended') return endSteps(observed)
  const { known, doubled } = linesOf(observed)
  const lines = desired.lines.map((line) => stepsOfLine(line, known.get(line.externalId), keeps))
  return [
    ...endDuplicates(observed?.duplicateIds ?? [], doubled),
    ...(desired.state === 'paused' ? orderState('paused', observed?.state) : []),
    ...lines.flatMap(({ stop }) => stop),
    ...(observed && agrees(desired.settings, observed) ? [] : [{ kind: 'put_order', settings: desired.settings } as const]),
    // A new order is active: one that is paused is so before it has a line.
    ...(desired.state === 'paused' && !observed ? [{ kind: 'set_order_state', state: 'paused' } as const] : []),
    ...(keeps.creatives ? creativeSteps(desired, observed) : []),
    ...lines.flatMap(({ write }) => write),
    ...lines.flatMap(({ start }) => start),
    ...(desired.state === 'active' ? orderState('active', observed?.state) : []),
  ]
}

/** Lines by our id, and further lines of the same id, which must not be there. A line that is not ended counts before one that is. */
export function linesOf(observed: ObservedOrder | undefined) {
  const known = new Map<string, ObservedLine>()
  const doubled: ObservedLine[] = []
  const lines = observed?.lines ?? []
  for (const line of [...lines.filter(({ state }) => state !== 'ended'), ...lines.filter(({ state }) => state === 'ended')]) {
    if (line.externalId === undefined) continue
    if (known.has(line.externalId)) doubled.push(line)
    else known.set(line.externalId, line)
  }
  return { known, doubled: doubled.filter(({ state }) => state !== 'ended') }
}

interface LineSteps {
  readonly stop: readonly Step[]
  readonly write: readonly Step[]
  readonly start: readonly Step[]
}

function stepsOfLine(desired: DesiredLine, observed: ObservedLine | undefined, keeps: Keeps): LineSteps {
  const line = { externalId: desired.externalId, ...(observed && { id: observed.id }) }
  const { state, settings } = desired
  const change = { kind: 'set_line_state', line, state } as const
  if (state === 'ended') return { stop: observed && observed.state !== 'ended' ? [change] : [], write: [], start: [] }
  const put: readonly Step[] = observed && agrees(settings, observed) ? [] : [{ kind: 'put_line', line, settings } as const]
  const associate: readonly Step[] =
    keeps.creatives && !sameAssociations(desired.associations, observed?.associations ?? [])
      ? [{ kind: 'associate', line, associations: desired.associations } as const]
      : []
  // A new line is paused.
  const differs = needsState(state, observed ? observed.state : 'paused')
  return {
    stop: differs && state === 'paused' ? [change] : [],
    write: [...put, ...associate],
    start: differs && state === 'active' ? [change] : [],
  }
}

/** What waits for a person or was rejected serves nothing, and no step of ours changes that; what was ended by hand is not brought back by a state. */
function needsState(wanted: ServingState, has: ObservedState): boolean {
  return wanted !== has && has !== 'waiting' && has !== 'rejected'
}

function orderState(state: ServingState, has: ObservedState | undefined): readonly Step[] {
  return has !== undefined && needsState(state, has) ? [{ kind: 'set_order_state', state }] : []
}

function endSteps(observed: ObservedOrder | undefined): readonly Step[] {
  if (!observed) return []
  const over = observed.state === 'ended' || observed.state === 'rejected'
  return [
    ...(over ? [] : [{ kind: 'set_order_state', state: 'ended' } as const]),
    ...endDuplicates(observed.duplicateIds ?? [], []),
  ]
}

function endDuplicates(orderIds: readonly string[], lines: readonly ObservedLine[]): readonly Step[] {
  return [
    ...orderIds.map((duplicateId) => ({ kind: 'set_order_state', state: 'ended', duplicateId }) as const),
    ...lines.flatMap(({ id, externalId }) =>
      externalId === undefined ? [] : [{ kind: 'set_line_state', line: { externalId, id }, state: 'ended' } as const],
    ),
  ]
}

function creativeSteps(desired: DesiredOrder, observed: ObservedOrder | undefined): readonly Step[] {
  const known = new Map(observed?.creatives.map((creative) => [creative.externalId, creative]))
  return desired.creatives.flatMap((creative) => {
    const there = known.get(creative.externalId)
    const same = there && (there.contentVersion === undefined || there.contentVersion === creative.contentVersion)
    return same ? [] : [{ kind: 'put_creative', creative } as const]
  })
}

/** Whether everything that the ad server reports is as it should be. */
function agrees(
  desired: object,
  { settings, others = [] }: Pick<ObservedLine, 'others'> & { readonly settings: object },
): boolean {
  if (others.length > 0) return false
  return Object.entries(settings).every(([name, value]) => value === undefined || sameValue(value, Reflect.get(desired, name)))
}
