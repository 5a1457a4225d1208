import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineCounts } from '../../../src/domain/ad-serving/existing-line.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'
import { adoptable, adoptedSpendMicros, isLeftOut } from '../../../src/domain/order/adopted-line.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000

describe.skipIf('reason' in found)('an order that people booked in Google Ad Manager', () => {
  let network: GamEmulator | undefined
  beforeAll(async () => {
    network = await startGamEmulator('python' in found ? found.python : '', {
      now: '2026-02-10T00:00:00Z',
      orders: 3,
      currency: 'SEK',
    })
  }, PATIENCE)
  afterAll(() => network?.close())

  test('is read with its advertiser and its lines, and reported by line and day; nothing is written', {
    timeout: PATIENCE,
  }, async () => {
    if (!network) throw new Error('the emulator does not run')
    const { orders, lineItems } = await network.control()
    const [order] = orders
    const id = String(order?.name).split('/').at(-1) ?? ''
    await network.control({ set: { name: String(order?.name), advertiser: 'networks/4711/companies/2' } })
    const own = lineItems.filter((line) => line.order === order?.name).map(({ name }) => name)
    await network.control({
      delivery: own.map((line, at) => ({ line, day: `2026-01-0${2 + at}`, counts: { AD_SERVER_IMPRESSIONS: 1_234 + at } })),
    })
    const backend = network.backend()
    const read = await backend.readOrder?.(id)
    expect(read).toMatchObject({ id, name: 'Order 1', advertiser: 'Another' })
    expect(
      read?.lines.map(({ name, currency, isOurs, goal, isGuaranteed }) => [name, currency, isOurs, goal, isGuaranteed]),
    ).toEqual([
      ['Line 1.0', 'SEK', false, { unit: 'IMPRESSIONS', units: 100_000 }, true],
      ['Line 1.1', 'SEK', false, { unit: 'IMPRESSIONS', units: 100_000 }, undefined],
    ])
    expect(await backend.readOrder?.('1')).toBeUndefined()
    expect(await backend.readOrder?.('../users/1')).toBeUndefined()

    const rows: LineCounts[] = []
    let after: string | undefined
    do {
      const part = await backend.reportOrders?.({ orderIds: [id], since: '2026-01-01', ...(after !== undefined && { after }) })
      rows.push(...(part?.rows ?? []))
      after = part?.next
    } while (after !== undefined)
    expect(rows.map(({ lineId, period, impressions }) => [lineId, period, impressions])).toEqual(
      own.map((name, at) => [name.split('/').at(-1), `2026-01-0${2 + at}`, 1_234 + at]),
    )
    const calendar = localCalendar('Europe/Stockholm')
    const line = read?.lines[0] && adoptable(read.lines[0], { calendar, timeZone: 'Europe/Stockholm' })
    if (!line || isLeftOut(line) || !rows[0]) throw new Error('the line cannot be adopted')
    // 2.37 SEK a thousand.
    const priced = { now: new Date('2026-02-10'), calendarOf: () => calendar }
    expect(adoptedSpendMicros(line, rows[0], '2026-01-02', priced)).toBe(Math.floor((1_234 * 2_370_000) / 1000))
    const { orders: afterwards, lineItems: lines } = await network.control()
    expect([afterwards.length, lines.length]).toEqual([orders.length, lineItems.length])
  })
})
