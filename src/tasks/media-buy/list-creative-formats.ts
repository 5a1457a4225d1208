import type { ListCreativeFormatsRequest, ListCreativeFormatsResponse } from '@adcp/sdk/types'
import { type FormatFilters, filterFormats } from '../../domain/creative/formats/filter-formats.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import { formatRow } from '../../domain/creative/formats/format-row.ts'
import { pageOf } from '../../domain/page.ts'
import { defineTask } from '../../pipeline/task.ts'
import { definingQuery } from '../defining-query.ts'
import { wholeRequest } from '../whole-request.ts'
import { LIST_CREATIVE_FORMATS } from './input-notes.ts'
import { summarizeFormats } from './summaries.ts'
import { visibleProducts } from './visible-products.ts'

export const listCreativeFormats = defineTask<
  ListCreativeFormatsRequest & FormatFilters & { readonly include_pricing?: boolean },
  ListCreativeFormatsResponse
>()({
  name: 'list_creative_formats',
  access: 'public',
  scope: 'products',
  account: 'optional',
  summary: 'The creative formats this seller accepts: sizes, lengths and assets, filtered and page by page.',
  input: LIST_CREATIVE_FORMATS,
  summarize: summarizeFormats,
  cacheKey: wholeRequest,
  async handle(request, context) {
    const { tenant, principal, account } = context
    const { formats } = await visibleProducts(context)
    const { pagination, include_pricing } = request
    const { include_pricing: _priced, ...filters } = definingQuery(request)
    const priced = include_pricing === true && account !== undefined
    const page = pageOf(
      filterFormats(formats, request),
      ({ format }) => format.format_id.id,
      ['list_creative_formats', tenant.tenantId, principal?.principalId, account?.accountId, filters],
      pagination,
    )
    const present = request.format_ids ? (format: Format) => format : formatRow
    return {
      formats: page.items.map(({ format: { pricing_options, ...format } }) => ({
        ...present(format),
        ...(priced && pricing_options && { pricing_options }),
      })),
      pagination: page.pagination,
      ...(principal?.sandbox && { sandbox: true }),
    }
  },
})
