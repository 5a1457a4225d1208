import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'
import type { BackendUnderTest } from '../contract.ts'

/** A product whose lines it refuses. */
const UNSOLD = 'unsold'

/** An ad server in memory, honest or with methods that lie. */
export async function openMemory(
  overrides: (honest: AdServerBackend) => Partial<AdServerBackend> = () => ({}),
): Promise<BackendUnderTest> {
  const server = createMemoryAdServer()
  const open = (): AdServerBackend => {
    const { putLine } = server.backend
    const refusing: Pick<AdServerBackend, 'putLine'> = {
      async putLine(order, line, settings) {
        if (settings.productId === UNSOLD) throw new AdcpError('PRODUCT_UNAVAILABLE', `${UNSOLD} is not sold any more`)
        return putLine(order, line, settings)
      },
    }
    return { ...server.backend, ...refusing, ...overrides(server.backend) }
  }
  return {
    backend: open(),
    reopen: open,
    settings: SETTINGS,
    refuses: { ...SETTINGS, productId: UNSOLD },
    async tamper({ key }, lineExternalId) {
      const found = server.orders.find((one) => one.key.externalId === key.externalId)
      for (const each of found?.lines ?? [])
        if (each.externalId === lineExternalId) each.settings = { ...each.settings, budgetMicros: 1 }
      return { subject: 'line', field: 'budgetMicros', heals: true }
    },
  }
}
