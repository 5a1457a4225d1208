import { afterAll, beforeAll, describe, test } from 'vitest'
import { CHECKS } from '../../ad-serving/contract.ts'
import { openGam } from '../../ad-serving/under-test/gam.ts'
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
      await check.run(openGam(emulator))
    },
    PATIENCE,
  )
})
