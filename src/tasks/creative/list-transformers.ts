import { accountScopeOf } from '../../domain/account/account.ts'
import { offeredTransformers, selectTransformers, type TransformerFilters } from '../../domain/creative/transformers/offered.ts'
import { type OptionPage, presentTransformer } from '../../domain/creative/transformers/present-transformer.ts'
import type { ParamOption, Transformer, TransformerParam } from '../../domain/creative/transformers/transformer.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findAllCatalogs } from '../../store/catalog/catalogs.ts'
import { formatScopeOf } from './format-scope.ts'

/** AdCP 3.1, creative/list-transformers-request.json. */
interface Request extends TransformerFilters {
  readonly expand_params?: readonly string[]
  readonly expand_pagination?: readonly {
    readonly transformer_id: string
    readonly field: string
    readonly options_cursor: string
  }[]
  readonly include_pricing?: boolean
  readonly pagination?: PageRequest
}

interface Response {
  readonly transformers: readonly object[]
  readonly pagination: Page<unknown>['pagination']
}

/** Values of a setting on one page. */
const OPTIONS_A_PAGE = 25

export const listTransformers = defineTask<Request, Response>()({
  name: 'list_transformers',
  since: '3.1',
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'The transformers of build_creative: formats, settings, prices.',
  async handle(request, context) {
    const { services, account } = context
    const { pagination, expand_params, expand_pagination: _pages, include_pricing, ...filters } = request
    const priced = include_pricing === true && account !== undefined
    const { formats } = await formatScopeOf(context)
    const offered = selectTransformers(offeredTransformers(services.creativeBuilder.transformers, formats), filters)
    const { transformer_ids, input_format_ids, output_format_ids, name_search, brief } = filters
    const query = [
      'list_transformers',
      context.tenant.tenantId,
      account?.accountId,
      transformer_ids,
      input_format_ids,
      output_format_ids,
      name_search,
      brief,
    ]
    const page = pageOf(offered, ({ transformer }) => transformer.id, query, pagination)
    const options = await optionsOf(request, context)
    return {
      transformers: page.items.map((each) => presentTransformer(each, (param) => options(each.transformer, param), priced)),
      pagination: page.pagination,
    }
  },
})

/** The values of settings that the account decides, as far as the request asks for them. */
async function optionsOf(
  { expand_params: expanded = [], expand_pagination: pages = [] }: Request,
  context: AuthenticatedContext,
): Promise<(transformer: Transformer, param: TransformerParam) => OptionPage | undefined> {
  if (expanded.length === 0 && pages.length === 0) return () => undefined
  const wanted = new Set(expanded)
  const cursors = new Map(
    pages.map((each, index) => [`${each.transformer_id} ${each.field}`, { cursor: each.options_cursor, index }]),
  )
  const catalogs = await catalogOptions(context)
  return ({ id }, { source, field }) => {
    const next = cursors.get(`${id} ${field}`)
    if (source !== 'account' || !(next || wanted.has(field))) return undefined
    return pageOfOptions(catalogs, [id, field, context.tenant.tenantId, context.account?.accountId], next)
  }
}

async function catalogOptions(context: AuthenticatedContext): Promise<ParamOption[]> {
  const catalogs = await findAllCatalogs(context.db, accountScopeOf(context.principal, context.account))
  return catalogs.map(({ catalogId, document, itemCount }) => ({
    value: catalogId,
    label: document.name ?? catalogId,
    metadata: { type: document.type, items: itemCount },
  }))
}

/** One page of values. Throws INVALID_REQUEST for a cursor of another setting. */
function pageOfOptions(
  all: readonly ParamOption[],
  query: unknown,
  next: { readonly cursor: string; readonly index: number } | undefined,
): OptionPage {
  const after = next && positionOf(query, next)
  const start = after === undefined ? 0 : all.findIndex(({ value }) => value === after) + 1
  const options = all.slice(start, start + OPTIONS_A_PAGE)
  const last = options.at(-1)
  const more = start + options.length < all.length && last !== undefined
  return { options, ...(more && { options_cursor: encodeCursor(query, last.value) }) }
}

function positionOf(query: unknown, { cursor, index }: { readonly cursor: string; readonly index: number }): string | undefined {
  try {
    return decodeCursor(query, cursor)
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    const field = `expand_pagination[${index}].options_cursor`
    throw new AdcpError('INVALID_REQUEST', `${field} is no cursor of this setting; ask for its first page by expand_params`, {
      field,
    })
  }
}
