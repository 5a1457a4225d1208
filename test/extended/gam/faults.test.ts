import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { gamFaultRounds } from '../../support/gam-fault-rounds.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000

describe.skipIf('reason' in found)('a network of Google Ad Manager that fails', () => {
  let emulator: GamEmulator | undefined

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  test('nothing is lost, doubled or stranded', { timeout: PATIENCE }, async () => {
    if (!emulator) throw new Error('the emulator does not run')
    expect(await gamFaultRounds(emulator, { rounds: 12, seed: 1, killEvery: 4 })).toMatchObject({
      rounds: 12,
      killed: 3,
      lost: [],
      doubled: [],
      stranded: [],
    })
  })

  test('nothing is lost, doubled, stranded or reported untruly while a person edits what is there', {
    timeout: PATIENCE,
  }, async () => {
    if (!emulator) throw new Error('the emulator does not run')
    const done = await gamFaultRounds(emulator, { rounds: 12, seed: 2, killEvery: 4, edited: true })
    expect(done).toMatchObject({ rounds: 12, killed: 3, lost: [], doubled: [], stranded: [], untrue: [] })
    expect(done.edits).toBeGreaterThan(10)
  })

  test('a token that was revoked is replaced', async () => {
    if (!emulator) throw new Error('the emulator does not run')
    const backend = emulator.backend()
    await backend.check()
    await emulator.control({ revoke: true })
    await backend.check()
  })
})
