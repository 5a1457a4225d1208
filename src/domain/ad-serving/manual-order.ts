import { hash } from 'node:crypto'
import { canonicalText } from '../same-value.ts'
import type { DeliveryRow } from './delivery-row.ts'
import type { LineSettings, OrderKey, OrderSettings, ServingState } from './desired-order.ts'

/** A creative that a person says is on a line. */
export interface LiveCreative {
  /** Our id of the creative. */
  readonly externalId: string
  /** As the name of the creative carries it, see `trafficName`. */
  readonly contentVersion: string
}

/** A line of an order that people enter at an ad server without an API. */
export interface ManualLine {
  /** Our id of the line: the package's. */
  readonly externalId: string
  readonly settings: LineSettings
  /** Names of the places where people book it. */
  readonly units: readonly string[]
  /** `width x height` in pixels. */
  readonly sizes: readonly string[]
  /** State of the line itself, whatever that of its order is. */
  readonly state: ServingState
  /** Versions that a person said they entered, the newest last. Empty: the line is not at the ad server. */
  readonly entered: readonly string[]
  readonly live: readonly LiveCreative[]
}

/** An order that people enter at an ad server without an API: what was ordered, and what they said they did. */
export interface ManualOrder {
  readonly key: OrderKey
  readonly settings: OrderSettings
  readonly state: ServingState
  readonly lines: readonly ManualLine[]
}

/** What a person has to do with a line. */
export type ManualTask = 'create' | 'change' | 'archive'

/** A line that is not at the ad server as it was ordered. */
export interface ManualWork {
  readonly line: ManualLine
  readonly task: ManualTask
  /** State that the line has to have, that of its order included. */
  readonly state: ServingState
  readonly version: string
}

/** Stores what was ordered at ad servers without an API, and what people reported of it. Each ad server has its own. */
export interface ManualOrders {
  find(order: OrderKey): Promise<ManualOrder | undefined>
  /** Changes an order in one transaction; `change` gets undefined when there is none, and gives undefined to change nothing. */
  change(order: OrderKey, change: (before: ManualOrder | undefined) => ManualOrder | undefined): Promise<void>
  /** Delivery that people reported, from a UTC day on. */
  delivery(tenantId: string, orderIds: readonly string[], since: string): Promise<readonly DeliveryRow[]>
}

/** State of a line: an order that is paused or over pauses or ends its lines. */
export function stateOfLine({ state: orderState }: Pick<ManualOrder, 'state'>, { state }: ManualLine): ServingState {
  if (orderState === 'ended' || state === 'ended') return 'ended'
  return orderState === 'paused' ? 'paused' : state
}

/** Eight hexadecimal digits that change with everything of a line that a person enters. */
export function versionOf(order: ManualOrder, line: ManualLine): string {
  const { name, advertiserId, currency } = order.settings
  const entered = [name, advertiserId, currency, line.settings, stateOfLine(order, line)]
  return hash('sha256', canonicalText(entered)).slice(0, 8)
}

/** What people have to do at the ad server for an order; empty: it is there as it was ordered. */
export function manualWork(order: ManualOrder): readonly ManualWork[] {
  return order.lines.flatMap((line) => {
    const state = stateOfLine(order, line)
    const version = versionOf(order, line)
    const isNew = line.entered.length === 0
    if (line.entered.at(-1) === version || (isNew && state === 'ended')) return []
    return [{ line, task: isNew ? 'create' : state === 'ended' ? 'archive' : 'change', state, version }]
  })
}
