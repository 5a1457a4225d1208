import { microsToAmount } from '../money.ts'
import { breakDown, type Paid, type Part } from './breakdown.ts'
import type { Metrics } from './delivery.ts'
import { audienceParts, deviceParts, type Inventory, placementParts, placeParts } from './delivery-parts.ts'
import { presentMetrics } from './present-metrics.ts'
import type { Breakdowns, Cut, Dimensions } from './shown-delivery.ts'

/** Rows of a dimension that the request does not limit, where the schema names a default. */
const DEFAULT_LIMIT = 25

/**
 * The breakdowns of a package that were asked for and that its product declares (`reporting_capabilities.supports_*_breakdown`); the others are left out, as
 * the schema says. The rows of each dimension add up to `total`, as long as none is cut off.
 */
export function presentBreakdowns(total: Metrics, paid: Paid, inventory: Inventory, asked: Dimensions): Breakdowns {
  const declared = inventory.product.offer.reporting_capabilities
  const rows = <L, W extends object>(parts: readonly Part<L>[], present: (label: L) => W) =>
    breakDown(total, parts, paid).map(({ label, metrics }) => ({
      ...present(label),
      ...presentMetrics(metrics),
      spend: microsToAmount(metrics.spendMicros),
    }))
  const { audience, device_type, geo, placement } = asked
  const shown: Breakdowns = {}
  if (audience && declared.supports_audience_breakdown) {
    const all = rows(audienceParts(inventory), ({ id, source, name }) => ({
      audience_id: id,
      audience_source: source,
      ...(name !== undefined && { audience_name: name }),
    }))
    Object.assign(shown, cut('by_audience', all, audience, DEFAULT_LIMIT))
  }
  if (device_type && declared.supports_device_type_breakdown) {
    const all = rows(deviceParts(inventory), (label) => ({ device_type: label }))
    Object.assign(shown, cut('by_device_type', all, device_type, Number.POSITIVE_INFINITY))
  }
  const level = geo?.geo_level
  if (geo && (level === 'country' || level === 'region') && declared.supports_geo_breakdown?.[level]) {
    const all = rows(placeParts(inventory, level), (geo_code) => ({ geo_level: level, geo_code }))
    Object.assign(shown, cut('by_geo', all, geo, DEFAULT_LIMIT))
  }
  if (placement && declared.supports_placement_breakdown) {
    const all = rows(placementParts(inventory), ({ id, name }) => ({
      placement_id: id,
      ...(name !== undefined && { placement_name: name }),
    }))
    Object.assign(shown, cut('by_placement', all, placement, DEFAULT_LIMIT))
  }
  return shown
}

/** The rows in the order that was asked for, largest first; by spend where no row has that metric. Nothing where there are no rows. */
function cut<K extends string>(
  name: K,
  rows: readonly { readonly spend: number }[],
  { limit, sort_by }: Cut,
  most: number,
): object {
  if (rows.length === 0) return {}
  const metric = rows.some((row) => typeof metricIn(row, sort_by) === 'number') ? sort_by : 'spend'
  const sorted = rows.toSorted((a, b) => (metricIn(b, metric) ?? 0) - (metricIn(a, metric) ?? 0))
  const shown = sorted.slice(0, limit ?? most)
  return { [name]: shown, [`${name}_truncated`]: shown.length < rows.length }
}

function metricIn(row: object, metric: string | undefined): number | undefined {
  const value = metric === undefined ? undefined : Object.entries(row).find(([name]) => name === metric)?.[1]
  return typeof value === 'number' ? value : undefined
}
