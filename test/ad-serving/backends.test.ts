import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { builtInAdServers } from '../../src/compose/backend-types.ts'
import type { AdServerChoice } from '../../src/config/ad-server-settings.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { type BackendUnderTest, describeBackend, faultsOf } from './contract.ts'
import { openEmbedded } from './under-test/embedded.ts'
import { openManual } from './under-test/manual.ts'
import { openMemory } from './under-test/memory.ts'
import { openModule } from './under-test/module.ts'
import { openSimulator } from './under-test/simulator.ts'
import { openUpstream } from './under-test/upstream.ts'

type Openers = Readonly<Record<string, () => Promise<BackendUnderTest>>>

/** Every type of ad server with what the suite opens of it; one that needs Python names the file that runs the suite against it. */
const UNDER_TEST: Readonly<Record<AdServerChoice['type'], Openers | { readonly file: string }>> = {
  embedded: { embedded: openEmbedded },
  simulator: { 'that is simulated': () => openSimulator() },
  upstream: {
    'of a guaranteed seller': () => openUpstream('guaranteed'),
    'of a guaranteed seller with a creative ad server': () => openUpstream('guaranteed', { hosted: true }),
    'of a non-guaranteed seller': () => openUpstream('non_guaranteed'),
  },
  manual: { 'without an API': () => openManual() },
  module: { 'in memory': () => openMemory(), 'of a module': openModule },
  google_ad_manager: { file: '../extended/gam/contract.test.ts' },
}

for (const openers of Object.values(UNDER_TEST))
  for (const [name, open] of Object.entries(openers)) if (typeof open === 'function') describeBackend(name, open)

describe('the suite', () => {
  const types = Object.keys(UNDER_TEST).sort()

  test('has every type of ad server that this program makes', () => {
    const { types: builtIn } = builtInAdServers({ mode: 'development' }, 'a secret of tests', () => new Date())
    expect([...Object.keys(builtIn), 'embedded', 'simulator', 'module'].sort()).toEqual(types)
  })

  test('has every type that a configuration can name', () => {
    const { properties } = JSON.parse(readFileSync('schemas/config.json', 'utf8'))
    expect([...properties.adServer.properties.type.enum].sort()).toEqual(types)
  })

  test('runs whole in the files that it names', () => {
    for (const each of Object.values(UNDER_TEST)) {
      if (!('file' in each) || typeof each.file !== 'string') continue
      expect(readFileSync(new URL(each.file, import.meta.url), 'utf8')).toMatch(/test\.each\((CHECKS|checks)\)/)
    }
  })
})

describe('a simulator that lies is found out', () => {
  test.each<[string, (honest: AdServer) => Partial<AdServer>, RegExp]>([
    [
      'books a repeated order again',
      () => {
        let ids = 0
        return { book: async () => ({ orderId: `order-${++ids}`, lineIds: new Map() }) }
      },
      /duplicate order-2/,
    ],
    [
      'books a repeated line again',
      (honest) => {
        let ids = 0
        return {
          async change(anchor, orderId, lines, mediaBuyId) {
            const { lineIds } = await honest.change(anchor, orderId, lines, mediaBuyId)
            return { orderId, lineIds: new Map([...lineIds].map(([packageId]) => [packageId, `line-${++ids}`])) }
          },
        }
      },
      /not there|lines of ours/,
    ],
    [
      'accepts lines and forgets them',
      () => ({ change: async (_anchor, orderId) => ({ orderId, lineIds: new Map() }) }),
      /not there|no line/,
    ],
    [
      'reports a day twice',
      (honest) => ({
        async reportDelivery(lines, now) {
          const reports = await honest.reportDelivery(lines, now)
          return reports.map(({ packageId, days }) => ({ packageId, days: [...days, ...days] }))
        },
      }),
      /a row twice/,
    ],
    [
      'reports lines of others',
      () => ({ reportDelivery: async () => [{ packageId: 'theirs', days: [{ ...NOTHING, day: '2026-07-02' }] }] }),
      /lines of other orders/,
    ],
  ])('%s', async (_name, overrides, fault) => {
    expect((await faultsOf(() => openSimulator(overrides))).join('\n')).toMatch(fault)
  })

  test('the honest one delivers what it reports', async () => {
    const { backend, settings } = await openSimulator()
    const key = { tenantId: 'acme', externalId: 'delivers' }
    const { budgetMicros, startsAt, endsAt } = settings
    await backend.putOrder(key, { name: 'delivers', advertiserId: 'a', currency: 'USD', budgetMicros, startsAt, endsAt })
    await backend.putLine(key, { externalId: 'pkg' }, settings)
    const reported = async () =>
      (await backend.report({ tenantId: 'acme', orderExternalIds: ['delivers'], since: startsAt })).rows
    expect((await reported()).reduce((sum, { impressions }) => sum + impressions, 0)).toBe(0)
    await backend.setLineState(key, { externalId: 'pkg' }, 'active')
    const rows = await reported()
    expect(rows).toHaveLength(10)
    expect(rows.reduce((sum, { spendMicros }) => sum + spendMicros, 0)).toBeGreaterThan(0)
  })
})

describe('an ad server that lies is found out', () => {
  test('the honest one has no fault', async () => {
    expect(await faultsOf(() => openMemory())).toEqual([])
  })

  test.each<[string, (honest: AdServerBackend) => Partial<AdServerBackend>]>([
    ['accepts lines and forgets them', () => ({ putLine: async () => {} })],
    [
      'accepts a change of a line and forgets it',
      (honest) => {
        const known = new Set<string>()
        return {
          async putLine(order, line, settings) {
            if (!known.has(line.externalId)) await honest.putLine(order, line, settings)
            known.add(line.externalId)
          },
        }
      },
    ],
    [
      'accepts a pause and goes on',
      (honest) => ({
        setOrderState: async (order, state, id) => (state === 'paused' ? undefined : honest.setOrderState(order, state, id)),
      }),
    ],
    [
      'does what it accepted later',
      (honest) => ({
        putLine: async (order, line, settings) => {
          setTimeout(() => void honest.putLine(order, line, settings), 20)
        },
        associate: async () => {},
        setLineState: async () => {},
      }),
    ],
    [
      'writes lines twice',
      (honest) => ({
        async putLine(order, line, settings) {
          await honest.putLine(order, line, settings)
          await honest.putLine(order, { externalId: line.externalId, id: 'unknown' }, settings)
        },
      }),
    ],
    [
      'answers late: shows what it had before',
      (honest) => {
        const shown = new Map<string, Awaited<ReturnType<AdServerBackend['observe']>>>()
        return {
          async observe(order) {
            const id = JSON.stringify(order)
            const before = shown.get(id)
            shown.set(id, await honest.observe(order))
            return before
          },
        }
      },
    ],
    ['knows only one publisher', (honest) => ({ observe: (order) => honest.observe({ ...order, tenantId: 'acme' }) })],
    [
      'reports lines of others',
      () => ({
        report: async () => ({ rows: [{ ...NOTHING, lineExternalId: 'theirs', period: '2026-07-01' }] }),
      }),
    ],
    [
      'reports a row twice',
      () => ({
        report: async () => {
          const row = { ...NOTHING, lineExternalId: 'report_pkg_1', period: '2026-07-01' }
          return { rows: [row, row] }
        },
      }),
    ],
    [
      'keeps another budget',
      (honest) => ({
        putLine: (order, line, settings) => honest.putLine(order, line, { ...settings, budgetMicros: settings.budgetMicros + 1 }),
      }),
    ],
  ])('%s', async (_name, overrides) => {
    expect(await faultsOf(() => openMemory(overrides))).not.toEqual([])
  })
})
