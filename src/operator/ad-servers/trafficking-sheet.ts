import { loadDesiredOrder } from '../../ad-serving/reconcile/load-desired-order.ts'
import { withTimeLimit } from '../../ad-serving/reconcile/timed-backend.ts'
import type { DesiredOrder } from '../../domain/ad-serving/desired-order.ts'
import { type Trafficked, traffickedOf, trafficName } from '../../domain/ad-serving/trafficking.ts'
import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { isObject } from '../../protocol/is-object.ts'
import { listAdServerOrders } from '../../store/ad-serving/ad-server-orders.ts'
import { csvText } from '../csv-text.ts'
import { type PublisherCalendar, presentFlight, publisherCalendar, type ShownFlight } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Orders of one sheet. */
const MOST_ORDERS = 200
/** Longest call to an ad server, in milliseconds. */
const CALL_MS = 30_000

/** Whether somebody still has to enter a line at its ad server. */
export const TRAFFIC_STATUSES = ['to traffic', 'live'] as const

/** What is to be put on a line by hand. */
export interface SheetRow {
  readonly media_buy_id: string
  readonly order: string
  readonly package_id: string
  readonly product_id: string
  readonly creative_id: string
  /** How it has to be named there, so that it is found. */
  readonly name: string
  readonly format: string
  readonly size: string
  readonly files: readonly string[]
  readonly click_urls: readonly string[]
  readonly trackers: readonly string[]
  /** Third-party tags and HTML as they came. */
  readonly code: string
  readonly weight: number | null
  readonly placements: readonly string[]
  readonly starts_at: string
  readonly ends_at: string
  readonly flight: ShownFlight
  readonly status: (typeof TRAFFIC_STATUSES)[number]
}

/**
 * Creatives of orders at ad servers that cannot be given any, with what a person needs for putting them there, and whether they are found on their line.
 * Throws what an ad server throws.
 */
export async function traffickingSheet(
  context: OperatorContext,
  tenantId: string,
  { mediaBuyId }: { readonly mediaBuyId?: string | undefined },
): Promise<readonly SheetRow[]> {
  const { store, services } = context
  const zone = await publisherCalendar(context, tenantId)
  const backends = (await services.adServers()).backends(tenantId)
  const orders = await listAdServerOrders(store.read, tenantId, {
    ...(mediaBuyId !== undefined && { mediaBuyId }),
    limit: MOST_ORDERS,
  })
  const rows: SheetRow[] = []
  for (const order of orders) {
    const used = backends.get(order.adServer)
    if (!used || used.backend.capabilities.creatives) continue
    const desired = await loadDesiredOrder(store.read, order)
    if (!desired || desired.state === 'ended') continue
    const observed = await withTimeLimit(used.backend, CALL_MS).observe(desired.key)
    rows.push(...traffickedOf(desired, observed).map((each) => rowOf(desired, each, zone)))
  }
  return rows
}

function rowOf(
  { key, settings, lines }: DesiredOrder,
  { lineExternalId, creative, weight, placementIds, isLive }: Trafficked,
  zone: PublisherCalendar,
): SheetRow {
  const line = lines.find(({ externalId }) => externalId === lineExternalId)?.settings
  const flight = line ?? settings
  const assets = Object.entries(creative.assets).flatMap(([id, asset]) => (isObject(asset) ? [{ id, ...readAsset(asset) }] : []))
  const isClick = ({ id, urlType }: { readonly id: string; readonly urlType: string }) =>
    urlType === 'clickthrough' || (urlType === '' && /click|landing/.test(id))
  const urls = assets.filter(({ type }) => type === 'url')
  const sizes = assets.flatMap(({ width, height }) => (width !== undefined && height !== undefined ? [`${width}x${height}`] : []))
  return {
    media_buy_id: key.externalId,
    order: settings.name,
    package_id: lineExternalId,
    product_id: line?.productId ?? '',
    creative_id: creative.externalId,
    name: trafficName(creative),
    format: creative.formatId.id,
    size: [...new Set(sizes)].join(' '),
    files: assets.flatMap(({ type, url }) => (type !== 'url' && url !== '' ? [url] : [])),
    click_urls: urls.filter(isClick).map(({ url }) => url),
    trackers: urls
      .filter((each) => !isClick(each))
      .map(({ url, event }) => (event === '' || event === 'impression' ? url : `${event}: ${url}`)),
    code: assets.flatMap(({ content }) => content || []).join('\n'),
    weight,
    placements: placementIds ?? [],
    starts_at: flight.startsAt,
    ends_at: flight.endsAt,
    flight: presentFlight(flight, zone),
    status: isLive ? 'live' : 'to traffic',
  }
}

function readAsset({ asset_type, url, url_type, tracker_event, content, width, height }: Readonly<Record<string, unknown>>) {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const pixels = (value: unknown) => (typeof value === 'number' ? value : undefined)
  return {
    type: text(asset_type),
    url: text(url),
    urlType: text(url_type),
    event: text(tracker_event),
    content: text(content),
    width: pixels(width),
    height: pixels(height),
  }
}

/** A sheet as CSV (RFC 4180). */
export function sheetCsv(rows: readonly SheetRow[]): string {
  const headings = [
    ...['media_buy_id', 'order', 'package_id', 'product_id', 'creative_id', 'name', 'format', 'size', 'files', 'click_urls'],
    ...['trackers', 'code', 'weight', 'placements', 'starts_at', 'ends_at', 'first_day', 'last_day', 'status'],
  ]
  const cells = rows.map((row) => [
    ...[row.media_buy_id, row.order, row.package_id, row.product_id, row.creative_id, row.name, row.format, row.size],
    ...[row.files, row.click_urls, row.trackers].map((list) => list.join(' ')),
    ...[row.code, row.weight ?? '', row.placements.join(' '), row.starts_at, row.ends_at],
    ...[flightDayText(row.flight.first), flightDayText(row.flight.last), row.status],
  ])
  return csvText(headings, cells)
}
