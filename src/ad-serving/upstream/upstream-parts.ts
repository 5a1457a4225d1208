import { hash } from 'node:crypto'
import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { RememberedId } from '../../domain/ad-serving/id-memory.ts'
import { createTurns } from '../../platform/concurrency/turns.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { BackendSetup } from '../backend-setup.ts'
import type { UpstreamApi } from './upstream-api.ts'
import type { UpstreamOptions } from './upstream-options.ts'

export type Json = Readonly<Record<string, unknown>>

/** What the backend works with. */
export interface Upstream {
  readonly options: UpstreamOptions
  readonly api: UpstreamApi
  /** Of the creative ad server; undefined: creatives go to the seller's own library. */
  readonly creativeApi: UpstreamApi | undefined
  readonly ids: BackendSetup['ids']
  readonly clock: () => Date
  /** One change of an order at a time: the API has no external ids of lines, so what is there is looked at before something is added. */
  readonly inTurn: <T>(order: OrderKey, work: () => Promise<T>) => Promise<T>
}

/** Path of an order. */
export function pathOf(orderId: string): string {
  return `/v1/orders/${encodeURIComponent(orderId)}`
}

/** Names of orders end with it. */
export function marker({ tenantId, externalId }: OrderKey): string {
  return ` [${tenantId}/${externalId}]`
}

/** The API's id of an order, remembered or found by its name. */
export async function findOrderId({ api, ids }: Upstream, order: OrderKey): Promise<string | undefined> {
  const known = idOf(await ids.list(order), 'order', order.externalId)
  if (known !== undefined) return known
  const found = listIn(await api.find('/v1/orders'), 'orders').find(({ name }) => textOf(name).endsWith(marker(order)))
  if (!found) return undefined
  const theirId = textOf(found.order_id)
  await ids.save(order, { kind: 'order', externalId: order.externalId, theirId, version: '' })
  return theirId
}

/** The id of an order that has to be there. Throws an Error when it is not. */
export async function getOrderId(up: Upstream, order: OrderKey): Promise<string> {
  const found = await findOrderId(up, order)
  if (found === undefined) throw new Error(`the order ${order.externalId} is not there yet`)
  return found
}

/** The seller's id, without that of the creative ad server; undefined: none is known. */
export function idOf(known: readonly RememberedId[], kind: RememberedId['kind'], externalId: string): string | undefined {
  return known.find((id) => id.kind === kind && id.externalId === externalId)?.theirId.split(' ')[0] || undefined
}

/** The same for every repetition of a call. */
export function requestId({ tenantId, externalId }: OrderKey, part: string): string {
  return hash('sha256', JSON.stringify([tenantId, externalId, part])).slice(0, 40)
}

/** A text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The objects of a list that is a member of an answer. */
export function listIn(body: Json | undefined, name: string): readonly Json[] {
  const list = body?.[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Runs the changes of one order one after the other. */
export function orderTurns(): Upstream['inTurn'] {
  const inTurn = createTurns()
  return ({ tenantId, externalId }, work) => inTurn(JSON.stringify([tenantId, externalId]), work)
}
