import { isObject } from '../../../protocol/is-object.ts'
import { publisherDomain } from '../publisher-domain.ts'

/**
 * Whether a `collections` selector covers a collection of an owner. A selector without `collection_ids` covers all of its publisher's; one
 * malformed selector makes the whole list grant nothing.
 */
export function coversCollection(
  selectors: unknown,
  { ownerDomain, collectionId }: { readonly ownerDomain: string; readonly collectionId: string | undefined },
): boolean {
  if (!Array.isArray(selectors) || selectors.length === 0) return false
  const read = selectors.map(readSelector)
  if (read.includes(undefined)) return false
  return read.some(
    (each) =>
      each?.domain === ownerDomain && (each.ids === undefined || (collectionId !== undefined && each.ids.includes(collectionId))),
  )
}

function readSelector(value: unknown): { readonly domain: string; readonly ids: readonly string[] | undefined } | undefined {
  if (!isObject(value)) return undefined
  const domain = publisherDomain(value.publisher_domain)
  if (domain === undefined) return undefined
  const ids = value.collection_ids
  if (ids === undefined) return { domain, ids }
  if (!Array.isArray(ids) || ids.length === 0) return undefined
  const texts = ids.filter((id): id is string => typeof id === 'string' && id !== '')
  return texts.length === ids.length ? { domain, ids: texts } : undefined
}
