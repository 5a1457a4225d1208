import type { AnyIdentifier } from '../../domain/directory/property-identifier.ts'
import type { ListKind } from '../../domain/inventory-list.ts'
import { callTool, type ToolAnswer } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { ListReference } from './line-lists.ts'

/** A collection of a resolved list (AdCP collection/get-collection-list-response.json). */
export interface ListedCollection {
  readonly name: string
  readonly distribution_ids?: readonly AnyIdentifier[]
}

/** What a list resolves to; of the other kind there is nothing. */
export interface ResolvedList {
  readonly properties: readonly AnyIdentifier[]
  readonly collections: readonly ListedCollection[]
}

/** What an agent answers of a list. */
export interface FetchedList extends ResolvedList {
  /** Until when the answer may be used; undefined where the agent does not say. */
  readonly validUntil: Date | undefined
}

/** No one waits for it; pages of 10,000 entries are a few hundred kilobytes. */
const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 8_000_000,
  connectMs: 5_000,
  readMs: 15_000,
  totalMs: 30_000,
  contentTypes: undefined,
}

/** The most that one page may have (get-property-list-request.json), and how many pages are asked for. */
const A_PAGE = 10_000
const MOST_PAGES = 10

/**
 * Reads a list of another agent over MCP, with its token as the bearer. Throws FetchFailure, and Error with what is wrong: the agent refuses, the answer is no
 * list, or the list has more than 100,000 entries.
 */
export async function fetchList(safeFetch: SafeFetch, kind: ListKind, reference: ListReference): Promise<FetchedList> {
  const { agent_url: url, list_id, auth_token: token } = reference
  const properties: AnyIdentifier[] = []
  const collections: ListedCollection[] = []
  let [cursor, validUntil]: [string | undefined, Date | undefined] = [undefined, undefined]
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const pagination = { max_results: A_PAGE, ...(cursor !== undefined && { cursor }) }
    const answer = await callTool(safeFetch, {
      url,
      tool: kind === 'property' ? 'get_property_list' : 'get_collection_list',
      arguments: { list_id, resolve: true, pagination },
      policy: POLICY,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    })
    const payload = payloadOf(answer)
    if (kind === 'property') properties.push(...entries(payload.identifiers, 'identifiers', isIdentifier))
    else collections.push(...entries(payload.collections, 'collections', isCollection))
    validUntil = dateIn(payload.cache_valid_until)
    cursor = nextCursor(payload.pagination)
    if (cursor === undefined) return { properties, collections, validUntil }
  }
  throw new Error(`the list has more than ${A_PAGE * MOST_PAGES} entries`)
}

function payloadOf({ isError, payload }: ToolAnswer): Readonly<Record<string, unknown>> {
  if (!isObject(payload)) throw new Error('the answer is no list')
  if (!isError) return payload
  const [first] = [payload.adcp_error ?? payload.errors].flat()
  throw new Error(
    `the agent answers ${isObject(first) && typeof first.code === 'string' ? first.code.slice(0, 60) : 'with an error'}`,
  )
}

function entries<T>(value: unknown, name: string, isEntry: (entry: unknown) => entry is T): readonly T[] {
  if (!Array.isArray(value) || value.length > A_PAGE) throw new Error(`the answer has no ${name}`)
  return value.map((entry: unknown) => {
    if (isEntry(entry)) return entry
    throw new Error(`${name} of the answer has an entry of another form`)
  })
}

function isIdentifier(value: unknown): value is AnyIdentifier {
  return isObject(value) && typeof value.type === 'string' && typeof value.value === 'string'
}

function isCollection(value: unknown): value is ListedCollection {
  if (!isObject(value) || typeof value.name !== 'string') return false
  const { distribution_ids: ids } = value
  return ids === undefined || (Array.isArray(ids) && ids.every(isIdentifier))
}

function dateIn(value: unknown): Date | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at)
}

function nextCursor(pagination: unknown): string | undefined {
  if (!isObject(pagination) || pagination.has_more !== true) return undefined
  return typeof pagination.cursor === 'string' ? pagination.cursor : undefined
}
