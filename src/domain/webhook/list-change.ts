import type { ListKind } from '../inventory-list.ts'

/** What a list resolves to has changed. */
export interface ListChange {
  readonly listId: string
  readonly kind: ListKind
  readonly name: string
  /** Unknown when the earlier members were not stored. */
  readonly added?: number | undefined
  readonly removed?: number | undefined
  readonly total: number
  readonly at: Date
  /** ISO 8601. */
  readonly cacheValidUntil: string
}

/** Members that a summary counts, by kind of list. */
const MEMBERS: Readonly<Record<ListKind, string>> = { property: 'properties', collection: 'collections' }

/**
 * The body of a list-change webhook (AdCP property-list-changed-webhook, collection-list-changed-webhook) as text, without its `signature`, which
 * {@link withSignature} adds when it is sent.
 */
export function listChangeBody(
  { listId, kind, name, added, removed, total, at, cacheValidUntil }: ListChange,
  key: string,
): string {
  const members = MEMBERS[kind]
  return JSON.stringify({
    idempotency_key: key,
    event: `${kind}_list_changed`,
    list_id: listId,
    list_name: name,
    change_summary: {
      ...(added !== undefined && { [`${members}_added`]: added }),
      ...(removed !== undefined && { [`${members}_removed`]: removed }),
      [`total_${members}`]: total,
    },
    resolved_at: at.toISOString(),
    cache_valid_until: cacheValidUntil,
  })
}

/** The body with the sender's signature over the text before it. */
export function withSignature(body: string, signature: string): string {
  return `${body.slice(0, -1)},"signature":${JSON.stringify(signature)}}`
}

/** How many members two resolutions of a list do not share. */
export function countChanges(before: readonly string[], after: readonly string[]): { added: number; removed: number } {
  const [was, is] = [new Set(before), new Set(after)]
  return { added: after.filter((key) => !was.has(key)).length, removed: before.filter((key) => !is.has(key)).length }
}
