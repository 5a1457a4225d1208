import { afterAll, beforeAll, describe, test } from 'vitest'
import { type BackendUnderTest, CHECKS } from '../../ad-serving/contract.ts'
import { SETTINGS } from '../../domain/ad-serving/orders.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`Google Ad Manager is not emulated: ${found.reason}.`)

/** The environment with Google's package is made once. */
const PATIENCE = 300_000

describe.skipIf('reason' in found)('the ad server Google Ad Manager', () => {
  let emulator: GamEmulator | undefined

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  test.each(CHECKS)(
    '$name',
    async (check) => {
      if (!emulator) throw new Error('the emulator does not run')
      const network = emulator
      const under: BackendUnderTest = {
        backend: network.backend(),
        settings: SETTINGS,
        async tamper(_order, lineExternalId) {
          const { lineItems } = await network.control()
          const line = lineItems.find((one) => one.externalLineItemId === lineExternalId)
          if (line)
            await network.control({
              set: { name: line.name, goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: '1' } },
            })
        },
      }
      await check.run(under)
    },
    60_000,
  )
})
