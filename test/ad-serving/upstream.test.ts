import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootMockServer } from '@adcp/sdk/mock-server'
import { describe, expect, test } from 'vitest'
import { createUpstreamBackend } from '../../src/ad-serving/upstream/upstream-backend.ts'
import { createLog } from '../../src/platform/log.ts'
import { createOutboundCall } from '../../src/platform/net/outbound-call.ts'
import { storedIds } from '../../src/store/ad-serving/ad-server-ids.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { SETTINGS } from '../domain/ad-serving/orders.ts'
import { NO_MANUAL_ORDERS } from '../support/no-manual-orders.ts'
import { type BackendUnderTest, describeBackend } from './contract.ts'

const SELLERS = {
  guaranteed: { specialism: 'sales-guaranteed', network: 'net_premium_us', product: 'sports_preroll_q2_guaranteed' },
  non_guaranteed: { specialism: 'sales-non-guaranteed', network: 'net_remnant_us', product: 'display_ros' },
} as const

/** A seller of the SDK, which nobody here wrote, in this process; with a creative ad server where `hosted` is set. */
async function openUpstream(sells: keyof typeof SELLERS, { hosted = false } = {}): Promise<BackendUnderTest> {
  const { specialism, network, product } = SELLERS[sells]
  const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  const store = await openSqlite(join(folder, 'store.db'))
  await store.transaction((tx) =>
    tx
      .insertInto('tenants')
      .values(
        ['acme', 'other'].map((tenant_id) => ({
          tenant_id,
          name: tenant_id,
          domain: `${tenant_id}.example`,
          is_public_default: 0,
          products_revision: 0,
          settings: '{}',
          created_at: '2026-01-01T00:00:00.000Z',
        })),
      )
      .execute(),
  )
  const seller = await bootMockServer({ specialism, port: 0, apiKey: 'key of the seller' })
  const creatives = await bootMockServer({ specialism: 'creative-ad-server', port: 0, apiKey: 'key of creatives' })
  const backend = createUpstreamBackend({
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
    call: createOutboundCall({ userAgent: 'test', loopback: true }),
    clock: () => new Date('2026-07-10T12:00:00Z'),
    log: createLog('silent'),
  })
  return {
    backend,
    settings: { ...SETTINGS, targeting: null, price: { model: 'cpm', basis: 'fixed', rateMicros: 35_000_000 } },
    async approve({ key }) {
      for (let look = 0; look < 5; look++) if ((await backend.observe(key))?.state === 'active') return
      throw new Error('the order is not approved')
    },
    async close() {
      await Promise.all([seller.close(), creatives.close()])
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeBackend('of a guaranteed seller', () => openUpstream('guaranteed'))
describeBackend('of a guaranteed seller with a creative ad server', () => openUpstream('guaranteed', { hosted: true }))
describeBackend('of a non-guaranteed seller', () => openUpstream('non_guaranteed'))

describe('options of an upstream', () => {
  test.each([
    [{ url: 'ads.example', network: 'n' }, 'options.url must be the address'],
    [{ url: 'https://ads.example' }, 'options.network must be a text'],
    [{ url: 'https://ads.example', network: 'n', sells: 'some' }, 'options.sells must be guaranteed or non_guaranteed'],
    [{ url: 'https://ads.example', network: 'n', apiKey: 'secret' }, 'options.apiKey is no option'],
  ])('%j is refused: %s', (options, message) => {
    const setup = {
      name: 'upstream',
      tenantId: 'acme',
      options,
      credentials: async () => undefined,
      ids: { list: async () => [], save: async () => {} },
      manual: NO_MANUAL_ORDERS,
      call: createOutboundCall({ userAgent: 'test', loopback: true }),
      clock: () => new Date(),
      log: createLog('silent'),
    }
    expect(() => createUpstreamBackend(setup)).toThrow(message)
  })
})
