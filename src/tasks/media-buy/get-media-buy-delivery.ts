import type { GetMediaBuyDeliveryRequest, GetMediaBuyDeliveryResponse } from '@adcp/sdk/types'
import { ATTRIBUTION_WINDOW } from '../../domain/media-buy/attribute-conversions.ts'
import { dayFrom, deliveryOf, rangeBefore } from '../../domain/media-buy/delivery.ts'
import { requireGranularity, wantedGranularity, windowsOf } from '../../domain/media-buy/delivery-windows.ts'
import { shownStatus } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import {
  presentAggregate,
  presentBuyDelivery,
  type ReportedBuy,
  reportingPeriod,
} from '../../domain/media-buy/present-delivery.ts'
import { withConversions } from '../../domain/media-buy/report-conversions.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { sumConversions } from '../../store/event/conversion-sums.ts'
import { deliveryBreakdowns } from './delivery-breakdowns.ts'
import { type ExactRequest, exactReport, isMixedSelection } from './exact-report.ts'
import { GET_MEDIA_BUY_DELIVERY } from './input-notes.ts'
import { withItems } from './item-deliveries.ts'
import { adServerOf, reportsOf } from './orders.ts'
import { selectMediaBuys, statusesOf } from './select-media-buys.ts'
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
    const { buys, creatives, missing } = await selectMediaBuys(tx, context, {
      ids: request.media_buy_ids,
      statuses: statusesOf(request.status_filter) ?? (request.media_buy_ids ? undefined : REPORTED),
      after: undefined,
      limit: MOST_BUYS,
    })
    requireSome(request.media_buy_ids, missing)
    const windows = await windowsFor(request, buys, context)
    const reports = await reportsOf(context, buys, creatives)
    const listed: ReportedBuy[] = []
    for (const buy of buys) {
      const conversions = await sumConversions(tx, principal.tenantId, buy.mediaBuyId, range)
      const lines = withConversions(reports.get(buy.mediaBuyId) ?? [], conversions.lines)
      const soFar = deliveryOf(buy, lines)
      const counted = {
        buy,
        status: shownStatus(buy, creatives, now, context.contract.rules),
        delivery: range.first === undefined && range.last === undefined ? soFar : deliveryOf(buy, lines, range),
        soFar,
        conversions: conversions.types,
      }
      listed.push(await withItems(tx, context, counted, range))
    }
    const reported = await deliveryBreakdowns(context, listed, request.reporting_dimensions)
    const totals = presentAggregate(reported)
    const inSandbox = principal.sandbox || context.account?.sandbox === true
    const lifetime = reportingPeriod(buys, range, now)
    const period = range.last === undefined ? lifetime : { ...lifetime, end: `${dayFrom(range.last, 1)}T00:00:00.000Z` }
    const currencies = [...new Set(buys.map((buy) => buy.currency))].sort()
    const answer = {
      reporting_period: period,
      currency: buys[0]?.currency ?? 'USD',
      ...(currencies.length > 1 && { ext: { notes: [mixedNote(currencies)] } }),
      ...(reported.some((one) => one.conversions?.size) && { attribution_window: WINDOW }),
      ...(totals && { aggregated_totals: totals }),
      media_buy_deliveries: reported.map((one) =>
        presentBuyDelivery(one, { daily: request.include_package_daily_breakdown === true, now, until: period.end, windows }),
      ),
      ...(missing.length > 0 && { errors: missing }),
      ...(inSandbox && { sandbox: true }),
    }
    return withSimulation(answer, adServerOf(context), { inSandbox })
  },
})

/** The schema has one currency for the whole report; the money of a package is in its own. */
function mixedNote(currencies: readonly string[]): string {
  return `These media buys are in ${currencies.join(' and ')}: money is in the currency of each package, and no totals are given.`
}

/**
 * What cuts a report into windows; undefined where none are asked for. 3.0 has no such request. Throws UNSUPPORTED_GRANULARITY for windows that a product of
 * these media buys does not offer.
 */
async function windowsFor(
  request: GetMediaBuyDeliveryRequest & { readonly include_window_breakdown?: unknown },
  buys: readonly MediaBuy[],
  { contract, services, tx, tenant, principal, now }: InTransaction<AuthenticatedContext>,
): Promise<((reported: ReportedBuy) => readonly object[]) | undefined> {
  const wanted = contract.rules.deliveryWindows ? wantedGranularity(request) : undefined
  if (wanted === undefined) return undefined
  const { byId } = await services.products.get(tx, tenant, principal)
  const offers = buys.flatMap(({ packages }) => packages.map(({ productId }) => byId.get(productId)?.offer))
  const granularity = requireGranularity(wanted, offers)
  const range = rangeBefore(request.start_date, request.end_date)
  if (request.include_window_breakdown !== true) return undefined
  return (reported) => windowsOf(reported, { granularity, range, now })
}

/** Throws MEDIA_BUY_NOT_FOUND where none of the named buys is the agent's: totals of nothing would read like an order that delivered nothing. */
function requireSome(ids: readonly string[] | undefined, missing: GetMediaBuyDeliveryResponse['errors']): void {
  const [first] = missing ?? []
  if (!ids || !first || missing?.length !== ids.length) return
  throw new AdcpError('MEDIA_BUY_NOT_FOUND', first.message, {
    ...(first.field !== undefined && { field: first.field }),
  })
}
