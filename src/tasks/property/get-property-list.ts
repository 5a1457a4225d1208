import type { GetPropertyListRequest, GetPropertyListResponse } from '@adcp/sdk/types'
import { identifierKey } from '../../domain/directory/property-identifier.ts'
import { cacheValidUntil } from '../../domain/inventory-list.ts'
import { pageOf } from '../../domain/page.ts'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import { defineTask } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { getList } from '../../store/inventory-list/inventory-lists.ts'
import { listScopeOf } from '../inventory-lists.ts'
import { knownProperties } from './known-properties.ts'
import { PROPERTY_LIST_CACHE_HOURS, type PropertyListDocument, presentPropertyList } from './present-property-list.ts'
import { presentUnresolved } from './present-unresolved.ts'

/** AdCP get-property-list-request.json, `pagination.max_results`. */
const DEFAULT_PAGE = 1000

export const getPropertyList = defineTask<GetPropertyListRequest, GetPropertyListResponse>()({
  name: 'get_property_list',
  access: 'authenticated',
  scope: 'lists:fetch',
  account: 'optional',
  summary: 'One property list, resolved unless resolve is false; its fetch token may read it too.',
  async handle(request, context) {
    const { tx, now } = context
    const list = await getList<PropertyListDocument>(tx, listScopeOf(context), 'property', request.list_id)
    if (request.resolve === false) return { list: presentPropertyList(list) }
    const resolved = await inTurns(resolvePropertyList(list.document, await knownProperties(context, list.document)))
    const query = ['get_property_list', context.principal.tenantId, list.listId, list.revision]
    const page = pageOf(resolved.identifiers, identifierKey, query, { max_results: DEFAULT_PAGE, ...request.pagination })
    return {
      list: presentPropertyList({ ...list, memberCount: resolved.identifiers.length }),
      identifiers: [...page.items],
      pagination: page.pagination,
      resolved_at: now.toISOString(),
      cache_valid_until: cacheValidUntil(now, PROPERTY_LIST_CACHE_HOURS),
      ...(resolved.coverageGaps.size > 0 && {
        coverage_gaps: Object.fromEntries([...resolved.coverageGaps].map(([feature, gaps]) => [feature, [...gaps]])),
      }),
      ...presentUnresolved(resolved),
    }
  },
})
