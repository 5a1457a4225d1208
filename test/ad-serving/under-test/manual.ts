import { createManualBackend } from '../../../src/ad-serving/manual/manual-backend.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createOutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { storedManualOrders } from '../../../src/store/ad-serving/manual-orders.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import type { BackendUnderTest } from '../contract.ts'
import { openPublishers } from './stored.ts'

export const PRODUCTS = { homepage: { units: ['Home page / top'], sizes: ['300x250'] } }

/** An ad server without an API, whose people work off sheets. */
export async function openManual(options: object = { products: PRODUCTS }): Promise<BackendUnderTest> {
  const { store, close } = await openPublishers()
  const manual = storedManualOrders(store, 'print')
  const open = () =>
    createManualBackend({
      name: 'print',
      tenantId: 'acme',
      options: { ...options },
      credentials: async () => undefined,
      ids: { list: async () => [], save: async () => {}, known: async () => new Set<string>() },
      manual,
      call: createOutboundCall({ userAgent: 'test', loopback: false }),
      clock: () => new Date('2026-06-01T00:00:00Z'),
      log: createLog('silent'),
    })
  return {
    backend: open(),
    reopen: open,
    settings: SETTINGS,
    refuses: 'a person books it: nothing answers a call',
    async tamper({ key }, externalId) {
      await manual.change(
        key,
        (order) =>
          order && {
            ...order,
            lines: order.lines.map((line) =>
              line.externalId === externalId ? { ...line, settings: { ...line.settings, budgetMicros: 1 } } : line,
            ),
          },
      )
      return { subject: 'line', field: 'budgetMicros', heals: true }
    },
    close,
  }
}
