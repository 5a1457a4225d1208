import type { DeliveryReport, DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Availability, AvailabilityQuery } from '../ad-server.ts'
import type { InventoryPage, ReportRequest } from '../backend.ts'
import { findOrderId, listIn, pathOf, textOf, type Upstream } from './upstream-parts.ts'

/** Ad units of the network. */
export async function upstreamInventory({ api }: Upstream): Promise<InventoryPage> {
  const units = listIn(await api.find('/v1/inventory'), 'ad_units')
  return {
    units: units.map((unit) => ({
      id: textOf(unit.ad_unit_id),
      name: textOf(unit.name),
      kind: 'ad_unit' as const,
      sizes: listIn(unit, 'sizes').map(({ width, height }) => `${width}x${height}`),
    })),
  }
}

/** What the API forecasts for guaranteed orders; a market that is cleared by price has no upper bound to check. */
export async function upstreamForecast(
  { api, options }: Upstream,
  queries: readonly AvailabilityQuery[],
): Promise<readonly Availability[]> {
  return Promise.all(
    queries.map(async ({ productId, flight, impressions }) => {
      if (options.sells === 'non_guaranteed') return { productId, available: impressions, sufficient: true }
      const product_id = options.products.get(productId) ?? productId
      const flight_dates = { start: flight.startsAt, end: flight.endsAt }
      const points = listIn(await api.send('POST', '/v1/forecast', { product_id, flight_dates }), 'points')
      const available = middleOf(points.find(({ budget }) => budget === undefined)?.metrics)
      return { productId, available, sufficient: available >= impressions }
    }),
  )
}

function middleOf(metrics: unknown): number {
  const impressions = isObject(metrics) ? metrics.impressions : undefined
  const middle = isObject(impressions) ? impressions.mid : undefined
  return typeof middle === 'number' && middle >= 0 ? Math.floor(middle) : 0
}

/** What lines delivered so far: the API counts no days. */
export async function upstreamReport(up: Upstream, { tenantId, orderExternalIds }: ReportRequest): Promise<DeliveryReport> {
  const rows: DeliveryRow[] = []
  for (const externalId of orderExternalIds) {
    const order = { tenantId, externalId }
    const orderId = await findOrderId(up, order)
    const report = orderId === undefined ? undefined : await up.api.find(`${pathOf(orderId)}/delivery`)
    if (!report) continue
    const known = new Map((await up.ids.list(order)).map((id) => [id.theirId, id]))
    const lines = [...listIn(report, 'line_item_breakdown'), ...listIn(report, 'line_items')]
    for (const line of lines) {
      const ours = known.get(textOf(line.line_item_id))
      if (!ours) continue
      rows.push({
        ...NOTHING,
        lineExternalId: ours.externalId,
        period: up.clock().toISOString().slice(0, 10),
        impressions: whole(line.impressions),
        clicks: whole(line.clicks),
        spendMicros: whole(typeof line.spend === 'number' ? line.spend * 1_000_000 : 0),
      })
    }
  }
  return { rows }
}

function whole(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0
}
