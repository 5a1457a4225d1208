import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { startAgent } from '../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'failed-start-'))
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

it('a start that fails late leaves no job behind', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const flags = { 'ads.geoDatabase': join(folder, 'missing.mmdb') }
  await expect(startAgent({ flags, onLog: () => {} })).rejects.toThrow(/ads\.geoDatabase/)
  expect(intervals.mock.calls.length, 'else nothing had been started').toBeGreaterThan(5)
  expect(vi.getTimerCount()).toBe(0)
})
