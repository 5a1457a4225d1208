import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runStep } from '../../../src/ad-serving/reconcile/run-step.ts'
import type { DesiredOrder } from '../../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../../src/domain/ad-serving/diff.ts'
import { findDrift } from '../../../src/domain/ad-serving/drift.ts'
import { line, order, SETTINGS } from '../../support/ad-server-orders.ts'
import { GAM_SCRIPTS, type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const NETWORK = '4711'
const PATIENCE = 300_000
const CALL_MS = 60_000

describe.skipIf('reason' in found)("Google's client for Python and our orders", () => {
  let emulator: GamEmulator | undefined
  let readNetwork = async (..._change: readonly string[]): Promise<{ orders: Found[]; lines: Found[] }> => ({
    orders: [],
    lines: [],
  })

  beforeAll(async () => {
    const network = await startGamEmulator('python' in found ? found.python : '')
    emulator = network
    readNetwork = async (...change) => {
      const args = [`${GAM_SCRIPTS}/read_back.py`, network.plain.slice('http://'.length), NETWORK, ...change]
      const { stdout } = await promisify(execFile)(network.python, args, { timeout: CALL_MS, maxBuffer: 16_000_000 })
      return JSON.parse(stdout)
    }
  }, PATIENCE)
  afterAll(() => emulator?.close())

  type Found = Readonly<Record<string, unknown>>

  test(
    'it reads what we booked, and what it changes is drift that we heal',
    async () => {
      if (!emulator) throw new Error('the emulator does not run')
      const backend = emulator.backend()
      const targeting = {
        geo_countries: ['DE', 'FR'] as [string, string],
        device_type: ['desktop' as const, 'ctv' as const] as ['desktop', 'ctv'],
        frequency_cap: { max_impressions: 3, per: 'devices' as const, window: { interval: 1, unit: 'days' as const } },
      }
      const settings = {
        ...SETTINGS,
        priority: 'guaranteed' as const,
        goalImpressions: 400_000,
        targeting,
        pacing: 'asap' as const,
      }
      const lines = [line('pkg_1', { settings, associations: [] })]
      const wanted: DesiredOrder = order({
        settings: {
          name: 'shoes / buy_1',
          advertiserId: 'acc_1',
          currency: 'USD',
          budgetMicros: 5_000_000_000,
          startsAt: SETTINGS.startsAt,
          endsAt: SETTINGS.endsAt,
        },
        lines,
        creatives: [],
      })
      const bring = async () => {
        const steps = diff(wanted, await backend.observe(wanted.key), backend.capabilities)
        for (const step of steps) await runStep(backend, wanted.key, step)
        return steps.length
      }
      await bring()
      const read = await readNetwork()
      expect(read.orders).toMatchObject([
        { displayName: 'shoes / buy_1', status: 'APPROVED', trafficker: `networks/${NETWORK}/users/1` },
      ])
      expect(read.lines).toMatchObject([
        {
          externalLineItemId: 'pkg_1',
          lineItemType: 'STANDARD',
          costType: 'CPM',
          rate: { currencyCode: 'USD', units: '10' },
          goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: '400000' },
          deliveryRateType: 'AS_FAST_AS_POSSIBLE',
          startTime: '2026-07-01T00:00:00Z',
          targetEndTime: '2026-08-01T00:00:00Z',
          frequencyCaps: [{ maxImpressions: '3', timeAmount: '1', timeUnit: 'DAY' }],
          targeting: {
            geoTargeting: { targetedGeos: [`networks/${NETWORK}/geoTargets/2276`, `networks/${NETWORK}/geoTargets/2250`] },
            technologyTargeting: {
              deviceCategoryTargeting: {
                targetedCategories: [`networks/${NETWORK}/deviceCategories/30000`, `networks/${NETWORK}/deviceCategories/30004`],
              },
            },
            inventoryTargeting: { targetedAdUnits: [{ adUnit: `networks/${NETWORK}/adUnits/1`, includeDescendants: true }] },
            customTargeting: {
              customTargetingClauses: [
                { customTargetingLiterals: [{ customTargetingKey: `networks/${NETWORK}/customTargetingKeys/7` }] },
              ],
            },
          },
        },
      ])
      const name = String(read.lines[0]?.name)
      const drift = async () => findDrift(wanted, [], await backend.observe(wanted.key))

      await readNetwork(name, JSON.stringify({ units: 1000 }))
      expect((await drift()).map(({ field, observed }) => [field, observed])).toEqual([
        ['budgetMicros', 10_000_000],
        ['goalImpressions', 1000],
      ])
      await readNetwork(name, JSON.stringify({ pause: true }))
      expect((await drift()).map(({ field }) => field)).toContain('state')
      expect(await bring()).toBe(2)
      expect(await drift()).toEqual([])
      expect((await readNetwork()).lines).toMatchObject([{ goal: { units: '400000' }, status: 'INACTIVE' }])
    },
    PATIENCE,
  )

  test('reports come by UTC day, to the micro', async () => {
    if (!emulator) throw new Error('the emulator does not run')
    const { lineItems } = await emulator.control()
    const name = String(lineItems[0]?.name)
    const counts = { AD_SERVER_IMPRESSIONS: 12_345, AD_SERVER_CLICKS: 17, AD_SERVER_ACTIVE_VIEW_VIEWABLE_IMPRESSIONS: 9000 }
    await emulator.control({
      delivery: [
        { line: name, day: '2026-05-31', counts },
        { line: name, day: '2026-05-01', counts },
      ],
    })
    const backend = emulator.backend()
    const rows = []
    let after: string | undefined
    for (let part = 0; part < 20; part += 1) {
      const request = {
        tenantId: 'acme',
        orderExternalIds: ['buy_1'],
        since: '2026-05-20',
        ...(after !== undefined && { after }),
      }
      const page = await backend.report(request)
      rows.push(...page.rows)
      after = page.next
      if (after === undefined) break
    }
    expect(rows).toMatchObject([
      {
        lineExternalId: 'pkg_1',
        period: '2026-05-31',
        impressions: 12_345,
        clicks: 17,
        viewableImpressions: 9000,
        spendMicros: 123_450_000,
      },
    ])
  })
})
