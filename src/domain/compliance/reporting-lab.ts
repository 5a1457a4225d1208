import { HOUR_MS } from '../calendar/instant.ts'
import { bareMediaBuy, NO_PRODUCT } from '../media-buy/bare-media-buy.ts'
import type { MediaBuy } from '../media-buy/media-buy.ts'
import type { Generation } from '../reporting/generation.ts'
import { configurationOf } from '../reporting/offering.ts'

/** What a scenario about reports begins with: one configuration, and what the clock says when its first period is over. */
export interface LabBeginning {
  readonly generation: Generation
  readonly now: Date
}

/** A few minutes: strictly behind a boundary. */
export const JUST_AFTER_MS = 5 * 60_000
/** When the source of a lab has counted a period, which is when reports of it are made at the earliest. */
export const COUNTED_AFTER_MS = HOUR_MS / 4

/** `reporting_core_lifecycle_probe`: hours from 1 August 2026 on, as the official story of `reporting.core` (3.2.4) has them. */
export function hourlyLab(): LabBeginning {
  return beginning('delivery-hourly-snapshot', 'UTC', { from: '2026-08-01T00:00:00.000Z', until: '2026-08-01T01:00:00.000Z' })
}

export const SOURCE_ZONE = 'America/New_York'

/** `reliable_reporting_core_integrity_probe`: days of New York from that on whose end its clocks fall back. */
export function localLab(): LabBeginning {
  return beginning('delivery-local-daily-official', SOURCE_ZONE, {
    ...{ from: '2026-11-01T04:00:00.000Z', until: '2026-11-02T05:00:00.000Z' },
  })
}

/** A generation of days of a time zone whose reports follow within hours. */
export function localDays(activatedAt: string): Generation {
  return beginning('delivery-local-daily-snapshot', SOURCE_ZONE, { from: activatedAt, until: activatedAt }).generation
}

function beginning(
  offeringId: string,
  timeZone: string,
  { from, until }: { readonly from: string; readonly until: string },
): LabBeginning {
  const config = configurationOf(offeringId, `lab-${offeringId}`, timeZone)
  return {
    generation: { configId: config.delivery_config_id, version: 1, config, activatedAt: from },
    now: new Date(Date.parse(until) + JUST_AFTER_MS),
  }
}

/** What the source of a lab counts of one media buy. */
interface LabDelivery {
  readonly mediaBuyId: string
  readonly packageId: string
  readonly country: string
  readonly impressions: number
  readonly clicks: number
}

/** The delivery, and the name of the report of it, that the official story has word for word. */
export const LAB_DELIVERIES: readonly LabDelivery[] = [
  {
    ...{ mediaBuyId: 'media-buy-core-001', packageId: 'package-core-001', country: 'US' },
    ...{ impressions: 2, clicks: 1 },
  },
  {
    ...{ mediaBuyId: 'media-buy-core-002', packageId: 'package-core-002', country: 'CA' },
    ...{ impressions: 3, clicks: 0 },
  },
]
export const LAB_REVISION_ID = 'reporting-revision.ecc62efa00946aa1e2788ad9'

/** A media buy of a lab, with nothing delivered: it has no ads. */
export function labBuy(
  { mediaBuyId, packageId, country }: LabDelivery,
  { accountId, actor }: { readonly accountId: string; readonly actor: string },
): MediaBuy {
  const budgetMicros = 10_000_000_000
  const buy = bareMediaBuy({
    ...{ mediaBuyId, accountId, actor, currency: 'USD', budgetMicros },
    brand: { domain: 'sandbox.example' },
    ...{ startsAt: '2026-08-01T00:00:00.000Z', endsAt: '2026-12-01T00:00:00.000Z' },
    packages: [{ packageId, productId: NO_PRODUCT, budgetMicros }],
    now: new Date('2026-07-31T12:00:00.000Z'),
  })
  return { ...buy, packages: buy.packages.map((pkg) => ({ ...pkg, targetingOverlay: { geo_countries: [country] } })) }
}
