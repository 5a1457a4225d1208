import type { GetMediaBuyDeliveryRequest, GetMediaBuyDeliveryResponse } from '@adcp/sdk/types'
import { ATTRIBUTION_WINDOW } from '../../domain/media-buy/attribute-conversions.ts'
import { type DayRange, dayFrom, rangeBefore } from '../../domain/media-buy/delivery.ts'
import { type Granularity, requireGranularity, wantedGranularity, windowsOf } from '../../domain/media-buy/delivery-windows.ts'
import { presentInSteps } from '../../domain/media-buy/present-delivery.ts'
import { type CountedBuy, presentAggregate, ReportSize, reportingPeriod } from '../../domain/media-buy/report-totals.ts'
import type { MediaBuyDelivery } from '../../domain/media-buy/shown-delivery.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { withBreakdowns } from './delivery-breakdowns.ts'
import { type ExactRequest, exactReport, isMixedSelection } from './exact-report.ts'
import { GET_MEDIA_BUY_DELIVERY } from './input-notes.ts'
import { adServerOf } from './orders.ts'
import { reportedBuys } from './reported-buys.ts'
import { mediaBuysInParts, namedMediaBuys, type Selection, statusesOf } from './select-media-buys.ts'
import { summarizeDelivery } from './summaries.ts'

/** A report is not paged by the protocol; the first 100 buys in order of creation are what one reply can carry. */
const MOST_BUYS = 100

/** Statuses in which a buy may have delivered. */
const REPORTED: readonly MediaBuyStatus[] = ['active', 'paused', 'completed', 'canceled']

/** How events are credited (core/attribution-window.json). */
const WINDOW: NonNullable<GetMediaBuyDeliveryResponse['attribution_window']> = {
  post_click: { interval: ATTRIBUTION_WINDOW.postClickDays, unit: 'days' },
  post_view: { interval: ATTRIBUTION_WINDOW.postViewDays, unit: 'days' },
  model: ATTRIBUTION_WINDOW.model,
}

export const getMediaBuyDelivery = defineTask<GetMediaBuyDeliveryRequest, GetMediaBuyDeliveryResponse>()({
  name: 'get_media_buy_delivery',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'optional',
  summary: 'Delivery of your media buys: impressions, spend and more, by package and by day (UTC).',
  input: GET_MEDIA_BUY_DELIVERY,
  summarize: summarizeDelivery,
  takesValue: isMixedSelection,
  async handle(request, context) {
    if ('reporting_revision_id' in request && context.contract.has('get_reporting_status'))
      return (await exactReport(request as ExactRequest, context)) as GetMediaBuyDeliveryResponse
    const { tx, principal, now } = context
    const range = rangeBefore(request.start_date, request.end_date)
    const { known, missing } = await namedMediaBuys(tx, context, request.media_buy_ids)
    requireSome(request.media_buy_ids, missing)
    const statuses = statusesOf(request.status_filter) ?? (request.media_buy_ids ? undefined : REPORTED)
    const selection = { ids: known, statuses, limit: MOST_BUYS }
    const granularity = await granularityFor(request, selection, context)
    const daily = request.include_package_daily_breakdown === true
    const { end: until } = periodOf([], range, now)
    const size = new ReportSize()
    const counted: CountedBuy[] = []
    const deliveries: MediaBuyDelivery[] = []
    let hasConversions = false
    for await (const one of reportedBuys(context, selection, range)) {
      const reported = await withBreakdowns(context, one, request.reporting_dimensions)
      const windows = granularity && (await inTurns(windowsOf(reported, { granularity, range, now })))
      const shown = await inTurns(presentInSteps(reported, { daily, now, until, windows }))
      size.add(shown)
      deliveries.push(shown)
      const { currency, startsAt } = one.buy
      counted.push({ currency, startsAt, total: one.delivery.total })
      if (one.conversions?.size) hasConversions = true
    }
    const totals = presentAggregate(counted)
    const inSandbox = principal.sandbox || context.account?.sandbox === true
    const unserved = unservedDimensions(request.reporting_dimensions, deliveries)
    const currencies = [...new Set(counted.map(({ currency }) => currency))].sort()
    const answer = {
      reporting_period: periodOf(counted, range, now),
      currency: counted[0]?.currency ?? 'USD',
      ...((currencies.length > 1 || unserved.length > 0) && {
        ext: {
          ...(currencies.length > 1 && { notes: [mixedNote(currencies)] }),
          ...(unserved.length > 0 && { ignored_members: unserved }),
        },
      }),
      ...(hasConversions && { attribution_window: WINDOW }),
      ...(totals && { aggregated_totals: totals }),
      media_buy_deliveries: deliveries,
      ...(missing.length > 0 && { errors: missing }),
      ...(inSandbox && { sandbox: true }),
    }
    return withSimulation(answer, adServerOf(context), { inSandbox })
  },
})

/** What a report covers, with the first day after it as its end where days were asked for. */
function periodOf(counted: readonly Pick<CountedBuy, 'startsAt'>[], range: DayRange, now: Date) {
  const lifetime = reportingPeriod(counted, range, now)
  return range.last === undefined ? lifetime : { ...lifetime, end: `${dayFrom(range.last, 1)}T00:00:00.000Z` }
}

/** Dimensions that no package of the report is broken down by, as members of the request. */
function unservedDimensions(asked: object = {}, deliveries: readonly MediaBuyDelivery[]): string[] {
  const packages: readonly object[] = deliveries.flatMap(({ by_package: rows }) => rows)
  if (packages.length === 0) return []
  return Object.keys(asked)
    .filter((name) => name !== 'ext' && !packages.some((row) => `by_${name}` in row))
    .map((name) => `reporting_dimensions.${name}`)
}

/** The schema has one currency for the whole report; the money of a package is in its own. */
function mixedNote(currencies: readonly string[]): string {
  return `These media buys are in ${currencies.join(' and ')}: money is in the currency of each package, and no totals are given.`
}

/**
 * The windows that a report is cut into; undefined where none are asked for. 3.0 has no such request. Throws UNSUPPORTED_GRANULARITY for windows that a product of
 * these media buys does not offer.
 */
async function granularityFor(
  request: GetMediaBuyDeliveryRequest & { readonly include_window_breakdown?: unknown },
  selection: Pick<Selection, 'ids' | 'statuses' | 'limit'>,
  context: InTransaction<AuthenticatedContext>,
): Promise<Granularity | undefined> {
  const { contract, services, tx, tenant, principal } = context
  const wanted = contract.rules.deliveryWindows ? wantedGranularity(request) : undefined
  if (wanted === undefined) return undefined
  const products = new Set<string>()
  for await (const { buys } of mediaBuysInParts(tx, context, selection))
    for (const { packages } of buys) for (const { productId } of packages) products.add(productId)
  const { byId } = await services.products.get(tx, tenant, principal)
  const offers = [...products].map((productId) => byId.get(productId)?.offer)
  const granularity = requireGranularity(wanted, offers)
  return request.include_window_breakdown === true ? granularity : undefined
}

/** Throws MEDIA_BUY_NOT_FOUND where none of the named buys is the agent's: totals of nothing would read like an order that delivered nothing. */
function requireSome(ids: readonly string[] | undefined, missing: GetMediaBuyDeliveryResponse['errors']): void {
  const [first] = missing ?? []
  if (!ids || !first || missing?.length !== ids.length) return
  throw new AdcpError('MEDIA_BUY_NOT_FOUND', first.message, {
    ...(first.field !== undefined && { field: first.field }),
  })
}
