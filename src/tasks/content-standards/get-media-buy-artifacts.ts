import type { GetMediaBuyArtifactsRequest, GetMediaBuyArtifactsResponse } from '@adcp/sdk/types'
import { DAY_MS, instantOf } from '../../domain/calendar/instant.ts'
import type { PropertyDocument } from '../../domain/directory/property-document.ts'
import { deliveryOf } from '../../domain/media-buy/delivery.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { packageNotFound } from '../../domain/media-buy/not-found.ts'
import { requireOrder } from '../../domain/order.ts'
import { pageOf } from '../../domain/page.ts'
import { propertiesSoldBy } from '../../domain/product/known-property.ts'
import type { Product } from '../../domain/product/product.ts'
import { forCaller } from '../../domain/protocol/by-caller.ts'
import type { DeliveredLine } from '../../features/content-standards/artifact-source.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { creativeFactsOf } from '../media-buy/creative-facts.ts'
import { namedMediaBuy } from '../media-buy/find-media-buys.ts'
import { reportsOf } from '../media-buy/orders.ts'

/** AdCP get-media-buy-artifacts-request.json, `pagination.max_results`. */
const DEFAULT_PAGE = 1000

export const getMediaBuyArtifacts = defineTask<GetMediaBuyArtifactsRequest, GetMediaBuyArtifactsResponse>()({
  name: 'get_media_buy_artifacts',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'optional',
  summary: 'Content next to which the ads of a media buy ran, by package and time.',
  async prepare(request, context) {
    const buy = await namedMediaBuy(context.db, context, request.media_buy_id)
    const period = periodOf(request.time_range)
    const lines = await deliveredLines(buy, wantedPackages(buy, request.package_ids), period, context)
    const all = await forCaller(context.services.artifacts, context).collect(lines)
    const within = all.filter(
      ({ deliveredAt }) => period.from <= Date.parse(deliveredAt) && Date.parse(deliveredAt) < period.until,
    )
    const query = ['get_media_buy_artifacts', buy.mediaBuyId, request.package_ids, request.time_range, request.failures_only]
    // No local model judges what is collected, so nothing has failed it.
    const shown = request.failures_only ? [] : within
    const page = pageOf(shown, ({ recordId }) => recordId, query, { max_results: DEFAULT_PAGE, ...request.pagination })
    const artifacts = await Promise.all(page.items.map(async (item) => ({ item, artifact: await item.read() })))
    const deliveries = lines.reduce((sum, { days }) => sum + days.reduce((each, { impressions }) => each + impressions, 0), 0)
    return { artifacts, pagination: page.pagination, deliveries, collected: within.length }
  },
  async handle(request, context, { artifacts, pagination, deliveries, collected }) {
    const { name, description, simulated } = forCaller(context.services.artifacts, context)
    return {
      media_buy_id: request.media_buy_id,
      artifacts: artifacts.map(({ item, artifact }) => ({
        record_id: item.recordId,
        timestamp: item.deliveredAt,
        package_id: item.packageId,
        artifact,
        ...(item.country !== undefined && { country: item.country }),
        ...(item.channel !== undefined && { channel: item.channel }),
        local_verdict: 'unevaluated' as const,
      })),
      collection_info: {
        total_deliveries: deliveries,
        total_collected: collected,
        returned_count: artifacts.length,
        ...(deliveries > 0 && { effective_rate: collected / deliveries }),
      },
      pagination,
      ...(simulated && { ext: { sales_agent: { source: name, simulated, description } } }),
    }
  },
})

/** Unix milliseconds, half-open. */
interface Period {
  readonly from: number
  readonly until: number
}

function periodOf(range: GetMediaBuyArtifactsRequest['time_range']): Period {
  const from = range?.start === undefined ? Number.NEGATIVE_INFINITY : instantOf(range.start, 'time_range.start')
  const until = range?.end === undefined ? Number.POSITIVE_INFINITY : instantOf(range.end, 'time_range.end')
  requireOrder({ value: from, field: 'time_range.start' }, { value: until, field: 'time_range.end' })
  return { from, until }
}

function wantedPackages(buy: MediaBuy, ids: readonly string[] | undefined): MediaBuy['packages'] {
  const known = new Set(buy.packages.map(({ packageId }) => packageId))
  for (const [index, id] of (ids ?? []).entries()) if (!known.has(id)) throw packageNotFound(buy, id, `package_ids[${index}]`)
  return ids ? buy.packages.filter(({ packageId }) => ids.includes(packageId)) : buy.packages
}

/** The packages with the days on which they delivered, as far as these overlap the period. */
async function deliveredLines(
  buy: MediaBuy,
  packages: MediaBuy['packages'],
  period: Period,
  context: AuthenticatedContext,
): Promise<DeliveredLine[]> {
  const { db, principal, tenant, services } = context
  const creatives = await creativeFactsOf(db, principal, [buy])
  const delivery = deliveryOf(buy, (await reportsOf(context, [buy], creatives)).get(buy.mediaBuyId) ?? [])
  const { byId, properties } = await services.products.get(db, tenant, principal)
  return packages.map(({ packageId, productId, channels, targetingOverlay }) => ({
    packageId,
    channel: channels[0],
    countries: targetingOverlay?.geo_countries ?? [],
    properties: placesOf(byId.get(productId), tenant.domain, properties),
    days: (delivery.packages.get(packageId)?.days ?? []).filter(({ day, impressions }) => {
      const start = Date.parse(`${day}T00:00:00Z`)
      return impressions > 0 && start < period.until && start + DAY_MS > period.from
    }),
  }))
}

/** Properties of this publisher that a product runs on; for other publishers' the domain is all that is known. */
function placesOf(
  product: Product | undefined,
  domain: string,
  properties: readonly PropertyDocument[],
): DeliveredLine['properties'] {
  if (!product) return []
  const own = propertiesSoldBy(product, domain, properties).map(({ property_id, name, tags = [] }) => ({
    rid: `${domain}/${property_id}`,
    name,
    tags,
  }))
  const others = new Set(product.offer.publisher_properties.map(({ publisher_domain }) => publisher_domain))
  return own.length > 0 ? own : [...others].map((other) => ({ rid: other, name: other, tags: [] }))
}
