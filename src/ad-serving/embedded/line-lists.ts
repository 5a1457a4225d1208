import { hash } from 'node:crypto'
import { type AnyIdentifier, identifierSet } from '../../domain/directory/property-identifier.ts'
import type { ListKind } from '../../domain/inventory-list.ts'
import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { canonicalText } from '../../domain/same-value.ts'
import type { Matches } from './targeting.ts'

/** Members of AdCP core/targeting.json that refer to lists, and the kind of each. */
const KIND_OF = { property_list: 'property', collection_list: 'collection', collection_list_exclude: 'collection' } as const
type ListDimension = keyof typeof KIND_OF

export const LIST_TARGETING = Object.keys(KIND_OF) as readonly ListDimension[]

/** Keys of the lists that a line is targeted to. */
export type LineLists = { readonly [dimension in ListDimension]?: string }

/** Where a list is: that of a buyer at this agent, or at another agent (AdCP core/property-list-ref.json). */
export interface ListReference {
  readonly agent_url: string
  readonly list_id: string
  readonly auth_token?: string
  /** The order that names it: a list of this agent has to be its buyer's own. */
  readonly media_buy_id: string
}

/** A list that a line needs. */
export interface LineList {
  readonly dimension: ListDimension
  readonly listKey: string
  readonly kind: ListKind
  readonly reference: ListReference
}

/** The lists of a line. Lines of one order, and lines with the same token, share them. */
export function listsOfLine(targeting: TargetingOverlay | null, mediaBuyId: string): readonly LineList[] {
  return LIST_TARGETING.flatMap((dimension): LineList[] => {
    const named = targeting?.[dimension]
    if (!named) return []
    const { agent_url, list_id, auth_token } = named
    const reference = { agent_url, list_id, ...(auth_token !== undefined && { auth_token }), media_buy_id: mediaBuyId }
    const kind = KIND_OF[dimension]
    return [{ dimension, kind, reference, listKey: hash('sha256', canonicalText([kind, reference])).slice(0, 32) }]
  })
}

/** What is read of a list: properties by their identifiers; collections by id, name and identifier (`imdb_id:tt0944947`). */
export interface ListMembers {
  readonly properties?: readonly AnyIdentifier[]
  readonly collections?: readonly string[]
}

/** Whether a page is on a list, and whether it says what would tell. */
export type OnList = (page: { readonly property?: AnyIdentifier; readonly collections?: readonly string[] }) => boolean

/** How many things a list names. */
export function entriesOf({ properties = [], collections = [] }: ListMembers): number {
  return properties.length + collections.length
}

export function onList({ properties, collections }: ListMembers): OnList {
  const identifiers = identifierSet(properties ?? [])
  const names = new Set(collections)
  return ({ property, collections: shown = [] }) =>
    (property !== undefined && identifiers.has(property)) || shown.some((name) => names.has(name))
}

/**
 * The tests of the lists of a line. One that was never read matches no page, neither as an inclusion nor as an exclusion: nothing is shown where its buyer
 * may not want it.
 */
export function listTests(lists: LineLists, read: ReadonlyMap<string, OnList>): Matches[] {
  return LIST_TARGETING.flatMap((dimension): Matches[] => {
    const key = lists[dimension]
    if (key === undefined) return []
    const isOn = read.get(key)
    if (!isOn) return [() => false]
    return dimension === 'collection_list_exclude' ? [(visitor) => !isOn(visitor)] : [(visitor) => isOn(visitor)]
  })
}
