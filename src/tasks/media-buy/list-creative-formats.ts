import type { ListCreativeFormatsRequest, ListCreativeFormatsResponse } from '@adcp/sdk/types'
import { type FormatFilters, filterFormats, requireType } from '../../domain/creative/formats/filter-formats.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import { formatRow } from '../../domain/creative/formats/format-row.ts'
import { knownFormats } from '../../domain/creative/resolve-format.ts'
import { pageOf } from '../../domain/page.ts'
import { defineTask, type PublicContext } from '../../pipeline/task.ts'
import { AdcpError, refusalsOf, toWireError } from '../../protocol/errors.ts'
import { instead, NameSearch, quoted } from '../../protocol/nearest-name.ts'
import { definingQuery } from '../defining-query.ts'
import { servedFormats } from '../served-products.ts'
import { wholeRequest } from '../whole-request.ts'
import { LIST_CREATIVE_FORMATS } from './input-notes.ts'
import { summarizeFormats } from './summaries.ts'
import { type VisibleProducts, visibleProducts } from './visible-products.ts'

/** Names of unknown formats that one answer lists: enough to see what is wrong. */
const MOST_UNKNOWN = 20

/** An error for each of the named formats that does not exist here. Throws the first of them, REFERENCE_NOT_FOUND, when none exists. */
async function unknownFormats(
  { format_ids: wanted }: ListCreativeFormatsRequest,
  { services, principal }: PublicContext,
  { formats, index }: VisibleProducts,
): Promise<AdcpError[]> {
  if (!wanted) return []
  const scope = { formats, agentUrl: services.wiring.agentUrl, conformance: principal?.conformance === true }
  if (wanted.every(knownFormats({ ...scope, sold: [] }))) return []
  const isKnown = knownFormats({ ...scope, sold: (await index()).products.flatMap(({ offer }) => offer.format_ids) })
  const unknown = wanted.flatMap((format, position) => (isKnown(format) ? [] : [{ id: format.id, position }]))
  const known = formats.map(({ format }) => format.format_id.id)
  const names = new NameSearch()
  const errors = unknown.slice(0, MOST_UNKNOWN).map(({ id, position }) => notFound(id, position, known, names))
  const [first] = errors
  if (first && unknown.length === wanted.length) throw first
  return errors
}

function notFound(id: string, position: number, known: readonly string[], names: NameSearch): AdcpError {
  const field = `format_ids[${position}]`
  const hint = instead(id, known, 'list_creative_formats lists them', names)
  return new AdcpError('REFERENCE_NOT_FOUND', `${field} ${quoted(id)} is no format of this seller${hint}`, {
    field,
    suggestion: 'send list_creative_formats without format_ids to see what there is',
  })
}

export const listCreativeFormats = defineTask<
  ListCreativeFormatsRequest & FormatFilters & { readonly include_pricing?: boolean },
  ListCreativeFormatsResponse
>()({
  name: 'list_creative_formats',
  access: 'public',
  scope: 'products',
  account: 'optional',
  summary: 'The creative formats this seller accepts: sizes, lengths and assets.',
  input: LIST_CREATIVE_FORMATS,
  summarize: summarizeFormats,
  unknown: async ({ type }) => refusalsOf(() => requireType(type)),
  cacheKey: wholeRequest,
  async handle(request, context) {
    requireType(request.type)
    const { tenant, principal, account } = context
    const all = await visibleProducts(context)
    const visible = { ...all, formats: servedFormats(context, all.formats) }
    const { formats } = visible
    const unknown = await unknownFormats(request, context, visible)
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
      ...(unknown.length > 0 && {
        errors: unknown.map((error) => toWireError(error)),
      }),
      pagination: page.pagination,
      ...(principal?.sandbox && { sandbox: true }),
    }
  },
})
