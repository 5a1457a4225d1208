import { isObject } from '../../protocol/is-object.ts'

/** Longer than any text of an answer that is meant for people. */
const LONGEST_TEXT = 100_000

/** Members of an answer that a module gave; every reader throws TypeError with the path of what is wrong. */
export function readObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw new TypeError(`${what} must be an object`)
}

/** A list, of `length` items where that is given. */
export function readList(value: unknown, what: string, length?: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${what} must be a list`)
  if (length !== undefined && value.length !== length)
    throw new TypeError(`${what} must have ${length} items; it has ${value.length}`)
  return value
}

/** A text of 1 to 100,000 characters. */
export function readText(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT) return value
  throw new TypeError(`${what} must be a text of 1 to ${LONGEST_TEXT} characters`)
}

export function readBoolean(value: unknown, what: string): boolean {
  if (typeof value === 'boolean') return value
  throw new TypeError(`${what} must be true or false`)
}

/** A number from 0 to 1. */
export function readShare(value: unknown, what: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw new TypeError(`${what} must be a number from 0 to 1`)
}

/** One of some words. */
export function readOneOf<W extends string>(value: unknown, words: readonly W[], what: string): W {
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  throw new TypeError(`${what} must be one of ${words.join(', ')}`)
}

/** The same where the member may be absent. */
export function readOptional<T>(value: unknown, read: (value: unknown, what: string) => T, what: string): T | undefined {
  return value === undefined ? undefined : read(value, what)
}
