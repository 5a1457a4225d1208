import { withTimeLimit } from '../../ad-serving/reconcile/timed-backend.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { askAdServer } from '../ask-ad-server.ts'
import type { OperatorContext } from '../operator-context.ts'
import { getReconciledOrders } from './get-reconciled-orders.ts'

/** Longest call, in milliseconds. */
const CALL_MS = 60_000

/**
 * What the ad servers of a media buy expect its lines to deliver until their end. Throws REFERENCE_NOT_FOUND for a media buy that lies in none,
 * UNSUPPORTED_FEATURE for an ad server that does not forecast delivery, and what the ad server throws.
 */
export async function forecastOrder({ services, store }: OperatorContext, tenantId: string, mediaBuyId: string) {
  const orders = await getReconciledOrders(store.read, tenantId, mediaBuyId)
  const backends = (await services.adServers()).backends(tenantId)
  const found = await Promise.all(
    orders.map(async ({ adServer }) => {
      const used = backends.get(adServer)
      const backend = used && withTimeLimit(used.backend, CALL_MS)
      if (!backend?.forecastDelivery)
        throw new AdcpError('UNSUPPORTED_FEATURE', `${adServer} does not forecast what lines will deliver`)
      const { forecastDelivery } = backend
      const lines = await askAdServer(adServer, () => forecastDelivery({ tenantId, externalId: mediaBuyId }))
      return lines.map((line) => ({
        ad_server: adServer,
        package_id: line.lineExternalId,
        unit: line.unit,
        goal: line.goal,
        delivered: line.delivered,
        predicted: line.predicted,
      }))
    }),
  )
  return found.flat()
}
