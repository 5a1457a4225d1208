import type { PropertyList } from '@adcp/sdk/types'
import { identifierKey } from '../../domain/directory/property-identifier.ts'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { KindOfList } from '../list-kinds.ts'
import { knownProperties } from './known-properties.ts'
import { PROPERTY_LIST_CACHE_HOURS, type PropertyListDocument, presentPropertyList } from './present-property-list.ts'

/** Lists of properties: where ads may run. */
export const PROPERTY_LISTS: KindOfList<PropertyListDocument, PropertyList> = {
  kind: 'property',
  cacheHours: PROPERTY_LIST_CACHE_HOURS,
  async members(context, document) {
    const { identifiers } = await inTurns(resolvePropertyList(document, await knownProperties(context, document)))
    return identifiers.map(identifierKey)
  },
  present: presentPropertyList,
}
