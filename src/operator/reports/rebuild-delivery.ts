import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { rebuildSums } from '../../store/ad-serving/rebuild-sums.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { settleDelivery } from '../../tasks/media-buy/settle-delivery.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

export interface RebuiltDelivery {
  readonly time_zone: string
  /** Orders that were asked of their ad servers again and added. */
  readonly orders: number
}

/**
 * Makes the daily sums of a publisher again: from the ledger, and from the ad servers of orders that are over and no ledger has. Throws SERVICE_UNAVAILABLE when
 * one does not report; the sums are right then too, and reports ask for what is missing.
 */
export async function rebuildDelivery(context: OperatorContext, tenantId: string): Promise<RebuiltDelivery> {
  const { config, clock, services } = context
  const timeZone = timeZoneOf((await findTenant(context.store.read, tenantId))?.settings ?? {}, config.ads.timeZone)
  const store = auditedStore(context, { task: 'delivery.rebuild', tenant: tenantId })
  await store.transaction((tx) => rebuildSums(tx, tenantId, timeZone))
  const parts = { store: context.store, adServers: await services.adServers(), conformance: config.conformance }
  const orders = await settleDelivery(parts, tenantId, { now: clock(), open: true })
  return { time_zone: timeZone, orders }
}
