import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import { SETTINGS } from '../../domain/ad-serving/orders.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'
import type { BackendUnderTest } from '../contract.ts'

/** An ad server in memory, honest or with methods that lie. */
export async function openMemory(
  overrides: (honest: AdServerBackend) => Partial<AdServerBackend> = () => ({}),
): Promise<BackendUnderTest> {
  const server = createMemoryAdServer()
  const open = () => ({ ...server.backend, ...overrides(server.backend) })
  return {
    backend: open(),
    reopen: open,
    settings: SETTINGS,
    async tamper({ key }, lineExternalId) {
      const found = server.orders.find((one) => one.key.externalId === key.externalId)
      for (const each of found?.lines ?? [])
        if (each.externalId === lineExternalId) each.settings = { ...each.settings, budgetMicros: 1 }
      return { subject: 'line', field: 'budgetMicros', heals: true }
    },
  }
}
