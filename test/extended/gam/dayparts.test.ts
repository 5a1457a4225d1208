import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DesiredOrder, LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import { HeldInventory } from '../../../src/domain/media-buy/held-inventory.ts'
import type { OutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { type GamEmulator, type Resource, startGamEmulator } from '../../support/gam-emulator.ts'
import { gamOrder, takeSteps } from '../../support/gam-order.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const OPTIONS = {
  audiences: { runners: '88' },
  products: {
    homepage: {
      ...{ adUnits: ['1'], placements: ['1'], sizes: ['300x250', '728x90'], keyValues: [{ key: '7', values: ['71'] }] },
      ...{ labels: ['5'], customFields: { '12': { option: '7' }, '13': 2.5 } },
    },
  },
}
type Targeting = NonNullable<LineSettings['targeting']>
const WHERE: Targeting = {
  ...{ geo_countries: ['DE'], device_type: ['desktop'], device_platform: ['windows'], language: ['de'] },
  ...{ audience_include: ['runners'], frequency_cap: { max_impressions: 3, window: { interval: 2, unit: 'days' } } },
}
const HOURS: Targeting = {
  daypart_targets: [
    { days: ['saturday', 'sunday'], start_hour: 18, end_hour: 24 },
    { days: ['saturday'], start_hour: 20, end_hour: 22 },
    { days: ['saturday'], start_hour: 6, end_hour: 10 },
  ],
}
const part = (dayOfWeek: string, start: number, end: number) => ({
  dayOfWeek,
  startTime: { hour: String(start), minute: 'ZERO' },
  endTime: { hour: String(end), minute: 'ZERO' },
})

describe.skipIf('reason' in found)('hours of lines in a network of Google Ad Manager', () => {
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const open = (through?: (call: OutboundCall) => OutboundCall) => network().backend(OPTIONS, undefined, through)
  const wanted = (id: string, targeting: Targeting, budgetMicros = 5_000_000_000): DesiredOrder => {
    const order = gamOrder(id)
    const lines = order.lines.slice(0, 1).map((line) => ({ ...line, settings: { ...line.settings, targeting, budgetMicros } }))
    return { ...order, lines }
  }
  const there = async (id: string) => {
    const { lineItems, hours } = await network().control()
    const line = lineItems.find(({ externalLineItemId }) => externalLineItemId === `${id}_pkg_1`)
    if (!line) throw new Error(`no line of ${id}`)
    return { line, hours: hours[line.name] }
  }
  const bring = async (order: DesiredOrder) => {
    await takeSteps(open(), order)
    expect(await takeSteps(open(), order, 0)).toBe(0)
    return there(order.key.externalId)
  }
  const without = ({ updateTime: _time, ...line }: Resource) => line

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { timeZone: 'America/New_York', silenceMs: 200 })
  }, PATIENCE)
  afterAll(() => emulator?.close())

  test('are written by the SOAP API, which leaves all else as the REST API wrote it', { timeout: PATIENCE }, async () => {
    const { line: plain } = await bring(wanted('hours', WHERE))
    await network().control({ set: { name: plain.name, notes: 'call Bob & <Eve>' } })
    const { line: before, hours: none } = await there('hours')
    expect(none).toBeUndefined()

    const { line, hours } = await bring(wanted('hours', { ...WHERE, ...HOURS }))
    expect(hours).toEqual({
      dayParts: [part('SATURDAY', 6, 10), part('SATURDAY', 18, 24), part('SUNDAY', 18, 24)],
      timeZone: 'PUBLISHER',
    })
    expect(without(line)).toEqual(without(before))
    expect(line.notes).toBe('call Bob & <Eve>')

    // A budget is written by the REST API, a country together with the hours.
    const budget = await bring(wanted('hours', { ...WHERE, ...HOURS }, 6_000_000_000))
    expect([budget.line.goal, budget.hours]).toEqual([expect.objectContaining({ units: '600000' }), hours])
    const country = await bring(wanted('hours', { ...WHERE, geo_countries: ['FR'], ...HOURS }, 7_000_000_000))
    expect([country.line.targeting, country.hours]).toEqual([
      expect.objectContaining({ geoTargeting: { targetedGeos: ['networks/4711/geoTargets/2250'] } }),
      hours,
    ])
    expect(country.line.goal).toMatchObject({ units: '700000' })
    const all = await bring(wanted('hours', WHERE, 7_000_000_000))
    expect(all.hours).toBeUndefined()
  })

  test('that a person changes or takes away are drift, and come back', { timeout: PATIENCE }, async () => {
    const order = wanted('edited', HOURS)
    const { line, hours } = await bring(order)
    for (const dayParts of [[part('MONDAY', 0, 24)], []]) {
      await network().control({ hours: { line: line.name, dayParts } })
      const [seen] = (await open().observe(order.key))?.lines ?? []
      expect(seen?.others).toMatchObject([{ field: 'dayPartTargeting' }])
      expect((await bring(order)).hours).toEqual(hours)
    }
    // Taken from a line of which the buyer wants none any more: still read, since it had some.
    await bring(wanted('edited', { geo_countries: ['DE'] }))
    await network().control({ hours: { line: line.name, dayParts: [part('MONDAY', 0, 24)] } })
    expect((await bring(wanted('edited', { geo_countries: ['DE'] }))).hours).toBeUndefined()
  })

  test('a line without hours costs no call of the SOAP API', { timeout: PATIENCE }, async () => {
    await network().control({ forgetCalls: true })
    await bring(wanted('plain', WHERE))
    expect((await network().control()).calls.filter((call) => call.includes('LineItemService'))).toEqual([])
  })

  test('nothing is written over what the SOAP API does not show yet', { timeout: PATIENCE }, async () => {
    await bring(wanted('late', HOURS))
    let old: Awaited<ReturnType<OutboundCall>> | undefined
    const stale =
      (call: OutboundCall): OutboundCall =>
      async (url, request) => {
        if (!String(request.body).includes('getLineItemsByStatement')) return call(url, request)
        old ??= await call(url, request)
        return old
      }
    const later = wanted('late', { ...HOURS, geo_countries: ['FR'] }, 9_000_000_000)
    await expect(takeSteps(open(stale), later)).rejects.toThrow('does not show networks/4711/lineItems')
    expect((await there('late')).line.goal).toMatchObject({ units: '900000' })
    expect((await bring(later)).line.targeting).toMatchObject({
      geoTargeting: { targetedGeos: ['networks/4711/geoTargets/2250'] },
    })
  })

  test('a line never serves before its hours are there, whatever fails', { timeout: PATIENCE }, async () => {
    const kinds = ['500 before', '500 after', 'silence', 'truncated', '429', 'soap QuotaError.EXCEEDED_QUOTA']
    for (const [at, kind] of [...kinds, 'soap CommonError.CONCURRENT_MODIFICATION'].entries()) {
      const order = wanted(`fault_${at}`, { ...WHERE, ...HOURS })
      await network().control({ faults: [{ kind, path: '/LineItemService', count: 3, skip: at % 3 }] })
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const isDone = await takeSteps(open(), order).then(
          () => true,
          () => false,
        )
        const { lineItems, hours } = await network().control()
        const own = lineItems.filter(({ externalLineItemId }) => externalLineItemId === `fault_${at}_pkg_1`)
        expect(own.length, kind).toBeLessThan(2)
        for (const line of own) if (!hours[line.name]) expect(line.status, kind).toBe('DRAFT')
        if (isDone && (await takeSteps(open(), order, 0).catch(() => 1)) === 0) break
      }
      await network().control({ faults: [] })
      expect((await bring(order)).hours?.dayParts, kind).toHaveLength(3)
    }
  })

  test('availability is that of the hours', { timeout: PATIENCE }, async () => {
    const flight = { startsAt: '2026-09-01T00:00:00.000Z', endsAt: '2026-09-08T00:00:00.000Z' }
    const held = new HeldInventory(new Map())
    const query = { productId: 'homepage', flight, impressions: 500, dailyCapacity: 10_000_000, held }
    const ask = async (targeting: Targeting) => (await open().forecast('acme', [{ ...query, targeting }]))[0]?.available ?? 0
    const [all, some] = [await ask({}), await ask(HOURS)]
    // 16 hours of 168.
    expect([all, some]).toEqual([14_000_000, 1_333_333])
  })
})
