import { afterAll, beforeAll, describe, test } from 'vitest'
import { CHECKS } from '../../ad-serving/contract.ts'
import { openGam } from '../../ad-serving/under-test/gam.ts'
import { openGamWithCreatives } from '../../ad-serving/under-test/gam-soap.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`Google Ad Manager is not emulated: ${found.reason}.`)

/** The environment with Google's package is made once. */
const PATIENCE = 300_000

/** What is no matter of creatives is the same in both ways, and checked once. */
const OF_CREATIVES = /everything that was written|several orders|repeated|answer is lost|two calls|one order|creatives|healed/

const WAYS = [
  ['with creatives by hand', openGam, CHECKS],
  ['with creatives by the SOAP API', openGamWithCreatives, CHECKS.filter(({ name }) => OF_CREATIVES.test(name))],
] as const

describe.skipIf('reason' in found).each(WAYS)('the ad server Google Ad Manager %s', (_way, open, checks) => {
  let emulator: GamEmulator | undefined

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  test.each(checks)(
    '$name',
    async (check) => {
      if (!emulator) throw new Error('the emulator does not run')
      await check.run(open(emulator))
    },
    PATIENCE,
  )
})
