import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import type { DeliveryRow } from '../../../src/domain/ad-serving/delivery-row.ts'
import type { DesiredOrder, LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { gamOrder, takeSteps } from '../../support/gam-order.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const PRODUCTS = {
  homepage: { adUnits: ['1'], sizes: ['300x250'], labels: ['5'] },
  share: { adUnits: ['2'], sizes: ['300x250'], share: 25, priority: 13, bulk: true },
  takeover: { adUnits: ['3'], sizes: ['300x250'], roadblocking: 'AS_MANY_AS_POSSIBLE' },
}
const FLAT = { model: 'flat_rate', basis: 'fixed', rateMicros: 310_000_000 } as const

describe.skipIf('reason' in found)('types of lines in a network of Google Ad Manager', () => {
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const open = () => network().backend({ products: PRODUCTS })
  const ordered = (id: string, change: Partial<LineSettings>): DesiredOrder => {
    const order = gamOrder(id)
    return { ...order, lines: order.lines.slice(0, 1).map((line) => ({ ...line, settings: { ...line.settings, ...change } })) }
  }
  const lineOf = async (id: string) =>
    (await network().control()).lineItems.find(({ externalLineItemId }) => externalLineItemId === `${id}_pkg_1`)

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  test.each<[string, Partial<LineSettings>, object]>([
    [
      'flat and guaranteed',
      { price: FLAT, priority: 'guaranteed' },
      { lineItemType: 'SPONSORSHIP', costType: 'CPD', priority: 4 },
    ],
    [
      'flat',
      { price: FLAT, productId: 'share' },
      { lineItemType: 'NETWORK', costType: 'CPD', goal: { units: '25' }, priority: 13 },
    ],
    ['bulk', { productId: 'share' }, { lineItemType: 'BULK', costType: 'CPM', priority: 13 }],
    ['a takeover', { productId: 'takeover' }, { roadblockingType: 'AS_MANY_AS_POSSIBLE' }],
    ['with a label', {}, { lineItemType: 'PRICE_PRIORITY', appliedLabels: [{ label: 'networks/4711/labels/5' }] }],
  ])('%s: taken by the network, and in step', { timeout: PATIENCE }, async (name, change, there) => {
    const id = name.replaceAll(' ', '_')
    expect(await takeSteps(open(), ordered(id, change))).toBe(0)
    expect(await takeSteps(open(), ordered(id, change), 0)).toBe(0)
    expect(await lineOf(id)).toMatchObject(there)
  })

  test('a label that someone takes off is put back', { timeout: PATIENCE }, async () => {
    const wanted = ordered('label', {})
    await takeSteps(open(), wanted)
    const line = await lineOf('label')
    await network().control({ set: { name: String(line?.name), appliedLabels: [] } })
    expect((await open().observe(wanted.key))?.lines).toMatchObject([{ others: [{ field: 'appliedLabels' }] }])
    await takeSteps(open(), wanted)
    expect(await lineOf('label')).toMatchObject({ appliedLabels: [{ label: 'networks/4711/labels/5' }] })
  })

  test('orders have teams and lines custom fields; what someone makes of them is drift, and put back', {
    timeout: PATIENCE,
  }, async () => {
    const [team, seller, section] = ['teams/6', 'customFields/11', 'customFields/12'].map((name) => `networks/4711/${name}`)
    const fields = { 12: { option: '7' }, 13: 2.5 }
    const products = { ...PRODUCTS, homepage: { ...PRODUCTS.homepage, customFields: fields } }
    const backend = () => network().backend({ products, teams: ['6'], customFields: { 11: 'adcp', 14: true } })
    const wanted = ordered('fields', {})
    expect(await takeSteps(backend(), wanted)).toBe(0)
    expect(await takeSteps(backend(), wanted, 0)).toBe(0)
    const own = async () => (await network().control()).orders.find(({ displayName }) => displayName === wanted.settings.name)
    const order = await own()
    expect(order).toMatchObject({ appliedTeams: [team] })
    expect(order?.customFieldValues).toContainEqual({ customField: seller, value: { stringValue: 'adcp' } })
    const line = await lineOf('fields')
    expect(line?.customFieldValues).toContainEqual({ customField: section, value: { dropdownValue: '7' } })
    await network().control({ set: { name: String(order?.name), appliedTeams: [], customFieldValues: [] } })
    await network().control({ set: { name: String(line?.name), customFieldValues: [] } })
    const seen = await backend().observe(wanted.key)
    expect(seen?.others?.map(({ field }) => field).sort()).toEqual(['appliedTeams', 'customFieldValues'])
    expect(seen?.lines).toMatchObject([{ others: [{ field: 'customFieldValues' }] }])
    await takeSteps(backend(), wanted)
    expect(await own()).toMatchObject({ appliedTeams: [team], customFieldValues: order?.customFieldValues })
    expect((await lineOf('fields'))?.customFieldValues).toEqual(line?.customFieldValues)
    const wrong = network().backend({ products: PRODUCTS, customFields: { 12: 'of lines' } })
    await expect(takeSteps(wrong, ordered('wrong', {}))).rejects.toThrow('customFields/12 is no custom field of ORDER')
  })

  test('teams and fields that people add where we write none are theirs', { timeout: PATIENCE }, async () => {
    const wanted = ordered('theirs', {})
    await takeSteps(open(), wanted)
    const order = (await network().control()).orders.find(({ displayName }) => displayName === wanted.settings.name)
    await network().control({ set: { name: String(order?.name), appliedTeams: ['networks/4711/teams/6'] } })
    expect((await open().observe(wanted.key))?.others ?? []).toEqual([])
  })

  test('a flat price is reported by the days on which something was shown, and its days add up to it', {
    timeout: PATIENCE,
  }, async () => {
    const wanted = ordered('earned', { price: FLAT, priority: 'guaranteed' })
    await takeSteps(open(), wanted)
    const line = String((await lineOf('earned'))?.name)
    const day = (date: string, impressions: number) => ({ line, day: date, counts: { AD_SERVER_IMPRESSIONS: impressions } })
    const days = Array.from({ length: 31 }, (_, at) => day(`2026-07-${String(at + 1).padStart(2, '0')}`, at === 4 ? 0 : 100))
    await network().control({ delivery: days, now: '2026-08-02T00:00:00Z', brief: true })
    const rows = await reported(
      network().backend({ products: PRODUCTS }, () => new Date('2026-08-02T00:00:00Z')),
      wanted,
    )
    const spend = new Map(rows.map(({ period, spendMicros }) => [period, spendMicros]))
    expect([spend.get('2026-07-01'), spend.get('2026-07-05'), spend.get('2026-07-31')]).toEqual([10_000_000, 0, 10_000_000])
    expect([...spend.values()].reduce((sum, each) => sum + each, 0)).toBe(300_000_000)
  })
})

async function reported(backend: AdServerBackend, { key }: DesiredOrder): Promise<readonly DeliveryRow[]> {
  const request = { tenantId: key.tenantId, orderExternalIds: [key.externalId], since: '2026-07-01' }
  const rows: DeliveryRow[] = []
  let after: string | undefined
  do {
    const part = await backend.report({ ...request, ...(after !== undefined && { after }) })
    rows.push(...part.rows)
    after = part.next
  } while (after !== undefined)
  return rows
}
