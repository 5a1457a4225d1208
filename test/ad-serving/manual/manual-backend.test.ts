import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualBackend } from '../../../src/ad-serving/manual/manual-backend.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createOutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { storedManualOrders } from '../../../src/store/ad-serving/manual-orders.ts'
import { addTenant } from '../../../src/store/identity/tenants.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { SETTINGS } from '../../domain/ad-serving/orders.ts'
import { type BackendUnderTest, describeBackend } from '../contract.ts'

const PRODUCTS = { homepage: { units: ['Home page / top'], sizes: ['300x250'] } }

async function openManual(options: object = { products: PRODUCTS }): Promise<BackendUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'manual-'))
  const store = await openSqlite(join(folder, 'store.db'))
  const now = new Date('2026-06-01T00:00:00Z')
  for (const tenantId of ['acme', 'other'])
    await store.transaction((tx) => addTenant(tx, { tenantId, name: tenantId, domain: `${tenantId}.example` }, now))
  const manual = storedManualOrders(store, 'print')
  return {
    backend: createManualBackend({
      name: 'print',
      tenantId: 'acme',
      options: { ...options },
      credentials: async () => undefined,
      ids: { list: async () => [], save: async () => {} },
      manual,
      call: createOutboundCall({ userAgent: 'test', loopback: false }),
      clock: () => now,
      log: createLog('silent'),
    }),
    settings: SETTINGS,
    tamper: ({ key }, externalId) =>
      manual.change(
        key,
        (order) =>
          order && {
            ...order,
            lines: order.lines.map((line) =>
              line.externalId === externalId ? { ...line, settings: { ...line.settings, budgetMicros: 1 } } : line,
            ),
          },
      ),
    async close() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeBackend('without an API', () => openManual())

test('wrong options are refused with what belongs there', async () => {
  await expect(openManual({ products: {} })).rejects.toThrow(
    'options.products must NOT have fewer than 1 properties; such as {"products"',
  )
  await expect(openManual({ products: PRODUCTS, url: 'x' })).rejects.toThrow('options must NOT have additional properties')
})
