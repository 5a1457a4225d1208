import { SETTINGS } from '../../support/ad-server-orders.ts'
import type { GamEmulator } from '../../support/gam-emulator.ts'
import type { BackendUnderTest } from '../contract.ts'
import { dyingCall } from './dying-call.ts'

/** Google Ad Manager at an emulated network, which all checks share. */
export function openGam(network: GamEmulator): BackendUnderTest {
  const open = () => network.backend()
  return {
    backend: open(),
    reopen: open,
    dying: (calls) => network.backend({}, undefined, (call) => dyingCall(call, calls)),
    settings: SETTINGS,
    refuses:
      'the emulated network takes every line that our own checks let through; test/ad-serving/gam/client.test.ts has the refusals of its API',
    async tamper(_order, lineExternalId) {
      const { lineItems } = await network.control()
      const line = lineItems.find((one) => one.externalLineItemId === lineExternalId)
      if (!line) throw new Error(`the network has no line ${lineExternalId}`)
      await network.control({ set: { name: line.name, goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: '1' } } })
      return { subject: 'line', field: 'budgetMicros', heals: true }
    },
  }
}
