import type { ListCreativesRequest, ListCreativesResponse } from '@adcp/sdk'
import { canonicalKindOf } from '../../domain/creative/canonical/kind.ts'
import type { Creative, CreativeStatus } from '../../domain/creative/creative.ts'
import { canonicalAgentUrl } from '../../domain/creative/formats/format-id.ts'
import { officialName } from '../../domain/creative/formats/official-formats.ts'
import { wireStatus } from '../../domain/creative/lifecycle.ts'
import { type AssignedPackage, type KnownFormat, presentCreative, presentTombstone } from '../../domain/creative/present.ts'
import { creativePrices } from '../../domain/creative/prices.ts'
import { knownFormat, resolveFormat } from '../../domain/creative/resolve-format.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { withNotes } from '../../domain/media-buy/order-notes.ts'
import type { VendorPrice } from '../../domain/vendor-price.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import type { ReleaseRules } from '../../protocol/release-rules.ts'
import {
  type CreativePosition,
  type CreativeSortField,
  countCreatives,
  type ListedCreative,
  listCreatives as listLibrary,
  packagesOfCreatives,
} from '../../store/creative/list-creatives.ts'
import { appliedFilters } from '../applied-filters.ts'
import { activityOfCreatives } from '../webhook-activity.ts'
import { creativeQueryOf } from './creative-query.ts'
import { formatScopeOf } from './format-scope.ts'
import { LIST_CREATIVES } from './input-notes.ts'
import { type ServedCreative, servedCreatives } from './served-creatives.ts'
import { summarizeCreatives } from './summaries.ts'

/** core/pagination-request.json */
const DEFAULT_PAGE = 50

export const listCreatives = defineTask<ListCreativesRequest, ListCreativesResponse>()({
  name: 'list_creatives',
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'Your creative library: filtered and sorted, with review status and assignments.',
  input: LIST_CREATIVES,
  summarize: summarizeCreatives,
  async prepare({ filters, include_snapshot }, context): Promise<ReadonlyMap<string, ServedCreative>> {
    return filters?.has_served === undefined && include_snapshot !== true ? new Map() : servedCreatives(context)
  },
  async handle(request, context, served) {
    const { tx, principal, account, now } = context
    const { filters = {}, pagination, fields } = request
    const sort = { field: request.sort?.field ?? 'created_date', direction: request.sort?.direction ?? 'desc' } as const
    const query = await creativeQueryOf(context, filters, [...served.keys()], includesPurged(request))
    const signature = ['list_creatives', principal.tenantId, principal.principalId, account?.accountId, filters, sort]
    const limit = pagination?.max_results ?? DEFAULT_PAGE
    const after = positionOf(decodeCursor(signature, pagination?.cursor), sort.field)
    const { listed: shown, isCut } = await listLibrary(tx, principal, query, sort, { after, limit })
    const counts = await countCreatives(tx, principal, query)
    const packages = request.include_assignments === false ? undefined : await packagesOfCreatives(tx, principal, shown, now)
    const activity = await activityOfCreatives(
      request,
      context,
      shown.map(({ creative }) => creative),
    )
    const last = isCut ? shown.at(-1)?.position : undefined
    const options = {
      fields,
      includeAssignments: packages !== undefined,
      snapshots: request.include_snapshot === true ? { served, now } : undefined,
      whole: filters.creative_ids !== undefined,
      includeItems: request.include_items === true,
      includeVariables: request.include_variables === true,
      kindOf: context.contract.rules.formatKinds ? await kindsIn(context) : undefined,
      pricesOf: request.include_pricing === true && account ? await pricesIn(context) : undefined,
    }
    const answer = {
      query_summary: {
        total_matching: counts.total,
        returned: shown.length,
        filters_applied: appliedFilters('list_creatives', filters, context),
        sort_applied: sort,
      },
      pagination: {
        has_more: last !== undefined,
        ...(last && { cursor: encodeCursor(signature, JSON.stringify(last)) }),
        total_count: counts.total,
      },
      creatives: shown.map(({ creative, assignments: count, purged }, index) => ({
        ...(purged
          ? presentTombstone(creative, purged, options.kindOf)
          : presentCreative(creative, { packages: packages?.[index] ?? [], count }, options)),
        ...(activity.has(creative.creativeId) && { webhook_activity: activity.get(creative.creativeId) }),
      })),
      format_summary: Object.fromEntries(counts.byFormat),
      status_summary: statusSummary(counts.byStatus, context.contract.rules),
      ...((principal.sandbox || account?.sandbox) && { sandbox: true }),
    }
    return withNotes<typeof answer & { ext?: object }>(answer, packages ? cutNote(shown, packages) : [])
  },
})

/** The sentence on creatives that more packages have than the answer names. */
function cutNote(shown: readonly ListedCreative[], packages: readonly (readonly AssignedPackage[])[]): string[] {
  const namedOf = (index: number) => packages[index]?.length ?? 0
  const cut = shown.flatMap(({ creative, assignments }, index) =>
    namedOf(index) < assignments ? [{ creativeId: creative.creativeId, named: namedOf(index) }] : [],
  )
  const [first] = cut
  if (!first) return []
  const { creativeId, named } = first
  const others = cut.length > 1 ? ` and of ${cut.length - 1} other creatives` : ''
  return [
    `assigned_packages of ${quoted(creativeId)}${others} names the newest ${named} of each; ask for fewer creatives at once (pagination.max_results, filters.creative_ids) to see more.`,
  ]
}

/** AdCP 3.1 (creative/list-creatives-request.json); 3.0 has no tombstones. */
function includesPurged(request: object): boolean {
  return 'include_purged' in request && request.include_purged === true
}

/** How the prices of a creative are looked up. */
async function pricesIn(context: AuthenticatedContext): Promise<(creative: Creative) => readonly VendorPrice[]> {
  const scope = await formatScopeOf(context)
  return (creative) => creativePrices(creative, knownFormat(creative.content.formatId, scope))
}

/**
 * How the names of a creative's format are looked up, by which releases after 3.0 know it: 3.2 deprecates ids. Clients of 3.1 read one form alone, ids or kinds, and which one an
 * agent's client reads shows in what it sent last.
 */
async function kindsIn(context: InTransaction<AuthenticatedContext>): Promise<(creative: Creative) => KnownFormat | undefined> {
  const scope = await formatScopeOf(context)
  const byKind = context.contract.rules.formatsByKind || (await sentKinds(context))
  return ({ content }) => {
    const resolved = resolveFormat(content.formatId, scope)
    if (resolved.kind !== 'known') return undefined
    return {
      kind: canonicalKindOf(resolved.format),
      isOwn: canonicalAgentUrl(content.formatId.agent_url) === canonicalAgentUrl(scope.agentUrl),
      official: byKind ? undefined : officialName(content.formatId, scope.agentUrl),
    }
  }
}

/** Whether the newest creative of the library was named by its kind. */
async function sentKinds(context: InTransaction<AuthenticatedContext>): Promise<boolean> {
  const query = await creativeQueryOf(context, {}, [], false)
  const sort = { field: 'updated_date', direction: 'desc' } as const
  const { listed } = await listLibrary(context.tx, context.principal, query, sort, { after: undefined, limit: 1 })
  return listed[0]?.creative.content.namedByKind === true
}

/** The keyset position of a cursor. Throws INVALID_REQUEST for one that this server did not write. */
function positionOf(text: string | undefined, field: CreativeSortField): CreativePosition | undefined {
  if (text === undefined) return undefined
  const [value, creativeId, accountId, ...rest]: unknown[] = parsed(text)
  const typed = field === 'assignment_count' ? typeof value === 'number' : typeof value === 'string'
  if (typed && typeof creativeId === 'string' && typeof accountId === 'string' && rest.length === 0) {
    return [value as string | number, creativeId, accountId]
  }
  throw new AdcpError('INVALID_REQUEST', 'the cursor was not issued here', { field: 'pagination.cursor' })
}

function parsed(text: string): unknown[] {
  const value = foreignJsonIn(text)
  return Array.isArray(value) ? value : []
}

/** Counts by status as the release names them: a suspended creative is among those under review where it has no name for it. */
function statusSummary(
  counts: ReadonlyMap<CreativeStatus, number>,
  { suspendedCreatives }: ReleaseRules,
): Record<string, number> {
  const summary: Record<string, number> = {}
  for (const [status, count] of counts) {
    const name = suspendedCreatives ? status : wireStatus(status).status
    summary[name] = (summary[name] ?? 0) + count
  }
  return summary
}
