import { decodeCursor, encodeCursor } from './cursor.ts'

export interface PageRequest {
  readonly max_results?: number
  readonly cursor?: string
}

/** A list that makes its items only as they are asked for; every array is one. */
export interface Sequence<T> {
  readonly length: number
  /** The items from one place up to, not including, another. */
  slice(from: number, to: number): readonly T[]
  /** Place of the first item that passes; -1 when none does. */
  findIndex(test: (item: T) => boolean): number
}

export interface Page<T> {
  readonly items: readonly T[]
  /** AdCP core/pagination-response.json. */
  readonly pagination: { has_more: boolean; cursor?: string; total_count: number }
}

/** AdCP core/pagination-request.json, `max_results`. */
const DEFAULT_PAGE = 50

/**
 * One page of a list. The cursor names the last item shown, so that items which come or go before it shift
 * nothing; should that item itself be gone, its old position counts. Throws INVALID_REQUEST for a cursor of another query.
 */
export function pageOf<T>(all: Sequence<T>, idOf: (item: T) => string, query: unknown, request: PageRequest = {}): Page<T> {
  const after = request.cursor === undefined ? undefined : decodeCursor(sorted(query), request.cursor)
  const start = after === undefined ? 0 : positionAfter(all, idOf, after)
  const items = all.slice(start, start + (request.max_results ?? DEFAULT_PAGE))
  const end = start + items.length
  const last = items.at(-1)
  const more = end < all.length && last !== undefined
  return {
    items,
    pagination: {
      has_more: more,
      ...(more && { cursor: encodeCursor(sorted(query), `${end}:${idOf(last)}`) }),
      total_count: all.length,
    },
  }
}

function positionAfter<T>(all: Sequence<T>, idOf: (item: T) => string, after: string): number {
  const separator = after.indexOf(':')
  const id = after.slice(separator + 1)
  const position = Number(after.slice(0, separator))
  const [last] = position > 0 ? all.slice(position - 1, position) : []
  if (last !== undefined && idOf(last) === id) return position
  const found = all.findIndex((item) => idOf(item) === id)
  return found === -1 ? Math.min(position - 1, all.length) : found + 1
}

/** The same query in another order of members is the same query. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
