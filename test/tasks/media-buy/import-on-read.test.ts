import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import { EMBEDDED } from '../../../src/ad-serving/external-id.ts'
import { createImportOnRead } from '../../../src/ad-serving/reconcile/import-on-read.ts'
import { importReport } from '../../../src/ad-serving/reconcile/import-report.ts'
import { startEmbeddedOrder } from '../../support/embedded-delivery.ts'

const EVERY_MS = 2_000

let order: Awaited<ReturnType<typeof startEmbeddedOrder>>
let house: AdServerBackend
let elapsedMs = 0
let logged: string[] = []
let events = 0

beforeAll(async () => {
  order = await startEmbeddedOrder()
  const found = order.agent.server.services.adServers.backends(order.agent.tenant).get(EMBEDDED)
  if (!found) throw new Error('there is no embedded ad server')
  house = found.backend
})
afterAll(() => order?.stop())
beforeEach(() => {
  logged = []
})

function partsWith(changes: Partial<AdServerBackend>) {
  const { store, clock } = order.agent.server
  const { liveReports } = house
  if (!liveReports) throw new Error('the embedded ad server has no live reports')
  const backend = { ...house, liveReports: { ...liveReports, everyMs: EVERY_MS }, ...changes }
  return { store, clock, backends: () => new Map([[EMBEDDED, { backend, drift: 'leave' as const }]]) }
}

/** @param waitMs milliseconds of the real clock that a reader waits; long enough for a busy machine unless the ad server is not to answer */
function readerWith(changes: Partial<AdServerBackend>, waitMs = 60_000) {
  const note = (_facts: object, message: string) => void logged.push(message)
  const log = { info: note, warn: note, error: note }
  const read = createImportOnRead({ ...partsWith(changes), log, monotonic: () => elapsedMs, waitMs })
  return (others = 0) => {
    const unknown = Array.from({ length: others }, (_, index) => ({ mediaBuyId: `other_${index}`, orderId: 'embedded:other' }))
    return read(order.agent.tenant, [{ mediaBuyId: order.mediaBuyId, orderId: `embedded:${order.mediaBuyId}` }, ...unknown])
  }
}

const show = () => order.count(1, `e${events++}_`)
const counted = async () => Math.max(0, ...(await order.revisions()))

it('a buyer who polls each second adds a revision every other second, and a list of orders one in thirty', async () => {
  const read = readerWith({})
  const rowsAfter = async (seconds: number, others: number) => {
    const before = (await order.revisions()).length
    for (let second = 0; second < seconds; second++) {
      await show()
      await read(others)
      elapsedMs += 1_000
    }
    return (await order.revisions()).length - before
  }
  expect(await rowsAfter(120, 0)).toBe(60)
  elapsedMs += 60_000
  expect(await rowsAfter(120, 40)).toBe(4)
  expect(logged).toEqual([])
})

it('readers at the same moment share one import, and one that finds nothing new imports nothing', async () => {
  let reports = 0
  const read = readerWith({
    report(request) {
      reports += 1
      return house.report(request)
    },
  })
  await show()
  await Promise.all(Array.from({ length: 10 }, () => read()))
  expect(reports).toBe(1)
  expect(await counted()).toBe(events)
  elapsedMs += EVERY_MS
  await read()
  expect(reports).toBe(1)
  // A flat rate is charged by time.
  elapsedMs += 300_000
  await read()
  expect(reports).toBe(2)
})

it('an ad server that fails or does not answer leaves the reader with what the ledger has, and the log says so', async () => {
  const before = await order.revisions()
  await show()
  await readerWith({ report: () => Promise.reject(new Error('out of order')) })()
  expect(logged).toEqual(['delivery could not be imported for a reader'])
  await readerWith({ report: () => new Promise(() => {}) }, 300)()
  expect(logged.length).toBeGreaterThan(1)
  expect(await order.revisions()).toEqual(before)
  await readerWith({})()
  expect(await counted()).toBe(events)
})

it('a report that was read before a newer one was imported adds no older figure after it', async () => {
  let goOn = () => {}
  let wasRead = () => {}
  const isRead = new Promise<void>((resolve) => {
    wasRead = resolve
  })
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const slow: Partial<AdServerBackend> = {
    async report(request) {
      const report = await house.report(request)
      wasRead()
      await held
      return report
    },
  }
  const { tenant } = order.agent
  const wanted = { tenantId: tenant, adServer: EMBEDDED, mediaBuyIds: [order.mediaBuyId], since: '2026-01-01', callMs: 10_000 }
  await show()
  const older = importReport(partsWith(slow), wanted)
  await isRead
  await show()
  await importReport(partsWith({}), wanted)
  goOn()
  await older
  const revisions = await order.revisions()
  expect(revisions.at(-1)).toBe(events)
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
})
