import type { CreatePropertyListRequest, PropertyList } from '@adcp/sdk/types'
import { type InventoryList, presentStamps } from '../../domain/inventory-list.ts'

/** What the store keeps of a property list. */
export type PropertyListDocument = Pick<
  CreatePropertyListRequest,
  'name' | 'description' | 'base_properties' | 'filters' | 'brand'
>

/** Hours for which a resolved list may be used (AdCP property-list.json, `cache_duration_hours`). */
export const PROPERTY_LIST_CACHE_HOURS = 24

/** The official list object. */
export function presentPropertyList(list: InventoryList<PropertyListDocument>): PropertyList {
  return {
    ...presentStamps(list),
    ...list.document,
    cache_duration_hours: PROPERTY_LIST_CACHE_HOURS,
    property_count: list.memberCount,
  }
}
