import { isObject } from '../../protocol/is-object.ts'
import type { Message } from './client.ts'

/** A text member of a message; undefined when it is absent, as members with default values are. */
export function textOf(message: Message | undefined, name: string): string | undefined {
  const value = message?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function messageOf(message: Message | undefined, name: string): Message | undefined {
  const value = message?.[name]
  return isObject(value) ? value : undefined
}

export function messagesOf(message: Message | undefined, name: string): readonly Message[] {
  const value = message?.[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textsOf(message: Message | undefined, name: string): readonly string[] {
  const value = message?.[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** A whole number: 64-bit ones are texts in JSON, others numbers. 0 when it is absent. */
export function countOf(message: Message | undefined, name: string): number {
  const value = Number(message?.[name] ?? 0)
  return Number.isSafeInteger(value) ? value : 0
}

/** A moment of a message as ISO 8601 UTC with milliseconds. */
export function momentOf(message: Message | undefined, name: string): string | undefined {
  const at = Date.parse(textOf(message, name) ?? '')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** The resource name of a message. Throws when it has none. */
export function nameOf(message: Message): string {
  const name = textOf(message, 'name')
  if (name === undefined) throw new Error('Google Ad Manager answers with a resource that has no name')
  return name
}

/** Last part of a resource name: the id. */
export function idOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** google.type.Money of micros. */
export function moneyOf(micros: number, currencyCode: string): Message {
  const units = Math.trunc(micros / 1_000_000)
  return { currencyCode, units: String(units), nanos: (micros - units * 1_000_000) * 1000 }
}

/** Micros of google.type.Money; fractions of a micro are rounded. */
export function microsOf(money: Message | undefined): number {
  return countOf(money, 'units') * 1_000_000 + Math.round(countOf(money, 'nanos') / 1000)
}

/** A list in parts of at most `size`, for calls whose length is limited. */
export function inBatches<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}

/** google.type.Date of a day `YYYY-MM-DD`. */
export function dateOf(text: string): Message {
  const [year, month, day] = text.split('-').map(Number)
  return { year, month, day }
}

/** A google.type.Date as `YYYY-MM-DD`; undefined when it is absent or incomplete. */
export function dayOf(date: Message | undefined): string | undefined {
  const [year, month, day] = [countOf(date, 'year'), countOf(date, 'month'), countOf(date, 'day')]
  if (year < 1 || month < 1 || day < 1) return undefined
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
}
