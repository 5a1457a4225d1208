import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { beginRebuild, finishRebuild } from '../../store/ad-serving/rebuild-sums.ts'
import { zoneToCount } from '../../store/billing/counted-zone.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { settleDelivery } from '../../tasks/media-buy/settle-delivery.ts'
import { defineAct } from '../act.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, integer, object, string } from '../shape.ts'

/**
 * Makes the daily sums of a publisher again: from the ledger, and from the ad servers of orders that are over and no ledger has. Throws SERVICE_UNAVAILABLE when
 * one does not report; the sums are right then too, and reports ask for what is missing.
 */
export const rebuildDelivery = defineAct({
  name: 'delivery.rebuild',
  route: 'POST /reports/rebuild',
  id: 'rebuildDelivery',
  roles: ADMINISTRATORS,
  summary:
    'Counts the days of delivery again from the ledger, e.g. after the time zone has changed; reports and month close read them.',
  fields: {},
  answer: object({
    time_zone: string,
    orders: about('orders that were asked of their ad servers again and added', integer),
  }),
  command: { text: ({ time_zone: zone, orders }) => [`days are counted in ${zone}; ${orders} orders were added`] },
  async run({ store, tenantId, config, clock, services }) {
    const wanted = timeZoneOf((await findTenant(store.read, tenantId))?.settings ?? {}, config.ads.timeZone)
    const timeZone = await store.transaction(async (tx) => {
      const zone = await zoneToCount(tx, tenantId, wanted)
      await beginRebuild(tx, tenantId, zone, clock())
      return zone
    })
    await finishRebuild(store, tenantId, clock)
    const parts = { store, adServers: await services.adServers(), conformance: config.conformance }
    const orders = await settleDelivery(parts, tenantId, { now: clock(), open: true })
    return { time_zone: timeZone, orders }
  },
})
