import { hash } from 'node:crypto'
import type { LineSettings, OrderKey, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import { canonicalText } from '../../domain/ad-serving/same-value.ts'
import { isObject } from '../../protocol/is-object.ts'

/**
 * What we remember of an order or line in its notes, because the API has no member for it: our ids, which members were written with which values, and
 * whether we paused it. It is one line of the notes; people may write others.
 */
const MARK = 'adcp: '

/** What an order of the API says of itself; its budget and flight follow from its lines. */
export type NotedSettings = Pick<OrderSettings, 'name' | 'advertiserId' | 'currency'>

/** The note of an order. */
export interface OrderNote {
  readonly key: OrderKey
  readonly settings: NotedSettings
  /** `paused`: the lines are paused although their own state may be active. */
  readonly state: 'active' | 'paused'
}

/** The note of a line. */
export interface LineNote {
  readonly settings: LineSettings
  /** The state that we gave the line itself, whatever that of its order is. */
  readonly state: 'active' | 'paused'
  /** Members as they were written, each as a digest: one that differs was changed by someone else. */
  readonly written: Readonly<Record<string, string>>
}

/** Notes with our line in place of the one before. */
export function withNote(notes: string | undefined, note: OrderNote | LineNote): string {
  const others = (notes ?? '').split('\n').filter((line) => line !== '' && !line.startsWith(MARK))
  return [`${MARK}${JSON.stringify(note)}`, ...others].join('\n')
}

export function readOrderNote(notes: string | undefined): OrderNote | undefined {
  const note = readNote(notes)
  if (!isObject(note) || !isObject(note.key) || !isObject(note.settings)) return undefined
  const { tenantId, externalId } = note.key
  const { name, advertiserId, currency } = note.settings
  const texts = [tenantId, externalId, name, advertiserId, currency]
  if (!texts.every((text) => typeof text === 'string')) return undefined
  return {
    key: { tenantId: String(tenantId), externalId: String(externalId) },
    settings: { name: String(name), advertiserId: String(advertiserId), currency: String(currency) },
    state: note.state === 'paused' ? 'paused' : 'active',
  }
}

export function readLineNote(notes: string | undefined): LineNote | undefined {
  const note = readNote(notes)
  if (!isObject(note) || !isSettings(note.settings) || !isObject(note.written)) return undefined
  const written = Object.entries(note.written).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return { settings: note.settings, state: note.state === 'paused' ? 'paused' : 'active', written: Object.fromEntries(written) }
}

function readNote(notes: string | undefined): unknown {
  const line = (notes ?? '').split('\n').find((one) => one.startsWith(MARK))
  if (line === undefined) return undefined
  try {
    return JSON.parse(line.slice(MARK.length))
  } catch {
    return undefined
  }
}

/** The members that we wrote; values beyond their type were held to the contract when they were ordered. */
function isSettings(value: unknown): value is LineSettings {
  if (!isObject(value) || !isObject(value.price)) return false
  const { goalImpressions, targeting } = value
  return (
    ['productId', 'startsAt', 'endsAt', 'priority', 'pacing'].every((name) => typeof value[name] === 'string') &&
    typeof value.budgetMicros === 'number' &&
    typeof value.price.rateMicros === 'number' &&
    (goalImpressions === null || typeof goalImpressions === 'number') &&
    (targeting === null || isObject(targeting))
  )
}

/** A short digest of a value, for comparing what was written with what is there. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalText(value)).slice(0, 16)
}

/**
 * The number that the API finds an order by: `externalOrderId` has 32 bits, so that two orders may share one; the note says which is which. Positive,
 * never 0, which the API takes for none.
 */
export function orderAnchor({ tenantId, externalId }: OrderKey): number {
  const bits = Number.parseInt(hash('sha256', JSON.stringify([tenantId, externalId])).slice(0, 8), 16) & 0x7fffffff
  return bits === 0 ? 1 : bits
}
