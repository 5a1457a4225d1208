import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { startAgent } from '../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'failed-start-'))
afterEach(() => {
  // The spies first: what they put back is the clock of the test.
  vi.restoreAllMocks()
  vi.useRealTimers()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a start that fails late leaves no job behind', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const flags = { 'ads.geoDatabase': join(folder, 'missing.mmdb') }
  await expect(startAgent({ flags, onLog: () => {} })).rejects.toThrow(/ads\.geoDatabase/)
  expect(intervals.mock.calls.length, 'else nothing had been started').toBeGreaterThan(5)
  expect(vi.getTimerCount()).toBe(0)
})

it('a start that fails at its last port closes the ports that it had opened', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const listened = vi.spyOn(Server.prototype, 'listen')
  const { port } = taken.address() as AddressInfo
  const flags = { 'ads.port': 0, 'console.port': port, 'metrics.port': 0 }
  await expect(startAgent({ flags, onLog: () => {} })).rejects.toThrow('EADDRINUSE')
  const servers = listened.mock.contexts as Server[]
  expect(servers, 'the agent, scrapes, ads and console').toHaveLength(4)
  expect(servers.map(({ listening }) => listening)).toEqual([false, false, false, false])
  taken.close()
})
