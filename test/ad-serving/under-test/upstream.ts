import { bootMockServer } from '@adcp/sdk/mock-server'
import { createUpstreamBackend } from '../../../src/ad-serving/upstream/upstream-backend.ts'
import type { LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createOutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { storedIds } from '../../../src/store/ad-serving/ad-server-ids.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import { NO_MANUAL_ORDERS } from '../../support/no-manual-orders.ts'
import type { BackendUnderTest } from '../contract.ts'
import { dyingCall } from './dying-call.ts'
import { openPublishers } from './stored.ts'

const SELLERS = {
  guaranteed: { specialism: 'sales-guaranteed', network: 'net_premium_us', product: 'sports_preroll_q2_guaranteed' },
  non_guaranteed: { specialism: 'sales-non-guaranteed', network: 'net_remnant_us', product: 'display_ros' },
} as const

/** A seller of the SDK, which nobody here wrote, in this process; with a creative ad server where `hosted` is set. */
export async function openUpstream(sells: keyof typeof SELLERS, { hosted = false } = {}): Promise<BackendUnderTest> {
  const { specialism, network, product } = SELLERS[sells]
  const publishers = await openPublishers()
  const { store } = publishers
  const seller = await bootMockServer({ specialism, port: 0, apiKey: 'key of the seller' })
  const creatives = await bootMockServer({ specialism: 'creative-ad-server', port: 0, apiKey: 'key of creatives' })
  const outbound = createOutboundCall({ userAgent: 'test', loopback: true })
  const open = (call = outbound) =>
    createUpstreamBackend({
      name: 'upstream',
      tenantId: 'acme',
      options: {
        url: seller.url,
        network,
        sells,
        products: { homepage: product },
        ...(hosted && { creatives: { url: creatives.url, network: 'net_creative_us' } }),
      },
      credentials: async () => ({ apiKey: 'key of the seller', creativesApiKey: 'key of creatives' }),
      manual: NO_MANUAL_ORDERS,
      ids: storedIds(store, 'upstream'),
      call,
      clock: () => new Date('2026-07-10T12:00:00Z'),
      log: createLog('silent'),
    })
  const backend = open()
  const settings: LineSettings = { ...SETTINGS, targeting: null, price: { model: 'cpm', basis: 'fixed', rateMicros: 35_000_000 } }
  return {
    backend,
    reopen: () => open(),
    dying: (calls) => open(dyingCall(outbound, calls)),
    settings,
    // The sellers want an amount; JSON has none for this.
    refuses:
      sells === 'guaranteed' ? { ...settings, budgetMicros: Number.NaN } : 'its API takes a line of any budget and product',
    async approve({ key }) {
      for (let look = 0; look < 5; look++) if ((await backend.observe(key))?.state === 'active') return
      throw new Error('the order is not approved')
    },
    /** Someone there adds a line to the order: its API changes nothing else that both sellers have. */
    async tamper({ key }) {
      const observed = await backend.observe(key)
      const answer = await fetch(`${seller.url}/v1/orders/${observed?.id}/lineitems`, {
        method: 'POST',
        headers: { authorization: 'Bearer key of the seller', 'x-network-code': network, 'content-type': 'application/json' },
        body: JSON.stringify({ product_id: product, budget: 7 }),
      })
      if (!answer.ok) throw new Error(`the seller takes no line of its people: ${await answer.text()}`)
      return { subject: 'order', field: 'added', heals: false }
    },
    async close() {
      await Promise.all([seller.close(), creatives.close()])
      await publishers.close()
    },
  }
}
