import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CommandLine } from '../../../tools/agent/command-line.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const WAIT = { timeout: 60_000, interval: 200 }
const AT = ['--tenant', 'acme'] as const
/** A rate whose thousandth is no whole cent. */
const RATE_MICROS = 3_337_000
/** What the network counts, by day of the flight; the second day is corrected later. */
const DAYS = { '2026-03-02': 12_347, '2026-03-03': 20_001 } as const
const CORRECTED = 19_998

/** What impressions cost, computed in whole micros as the price says: rate × impressions ÷ 1,000, rounded down by day. */
const cost = (...impressions: readonly number[]) =>
  impressions.reduce((sum, count) => sum + Math.floor((RATE_MICROS * count) / 1000), 0)
const micros = (amount: number) => Math.round(amount * 1e6)

describe.skipIf('reason' in found)('a buy in Google Ad Manager', () => {
  const line = new CommandLine()
  let emulator: GamEmulator | undefined
  let agent: MediaBuyAgent | undefined

  beforeAll(async () => {
    const network = await startGamEmulator('python' in found ? found.python : '', { now: '2026-03-01T12:00:00Z' })
    emulator = network
    const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'USD', fixed_price: RATE_MICROS / 1e6 }
    const key = join(line.folder, 'key.json')
    writeFileSync(key, JSON.stringify(network.keyFile), { mode: 0o600 })
    const options = { network: '4711', endpoint: network.plain, products: { news: { adUnits: ['1'], sizes: ['300x250'] } } }
    const settings = ['--type', 'google_ad_manager', '--options', JSON.stringify(options)]
    await line.json('init', '--demo')
    await line.json('tenants', 'add', 'acme', '--name', 'Acme', '--domain', 'acme.example')
    await line.json('adservers', 'add', 'gam', ...settings, ...AT)
    // The command has today's clock, and the network that of the agent.
    await line.json('adservers', 'credentials', 'gam', '--file', key, '--no-check', ...AT)
    agent = await startMediaBuyAgent([productDocument('news', { pricing_options: [cpm] })], { flags: { data: line.data } })
  }, PATIENCE)
  afterAll(async () => {
    await agent?.stop()
    await emulator?.close()
    await line.close()
  })

  test(
    'from MCP to a line item, its delivery, the report of the buyer and the invoice, to the micro',
    async () => {
      if (!emulator || !agent) throw new Error('the emulator does not run')
      const [network, seller] = [emulator, agent]
      const { data: buy } = await seller.create()
      expect(buy.media_buy_id, JSON.stringify(buy)).toBeDefined()
      const lineItem = async () => (await network.control()).lineItems[0]
      await vi.waitFor(async () => expect(await lineItem()).toMatchObject({ status: 'INACTIVE' }), WAIT)
      expect(await lineItem()).toMatchObject({
        externalLineItemId: buy.packages[0].package_id,
        rate: { currencyCode: 'USD', units: '3', nanos: 337_000_000 },
        goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: String(Math.floor((1000 * 1e9) / RATE_MICROS)) },
        startTime: '2026-03-02T00:00:00Z',
        targetEndTime: '2026-03-12T00:00:00Z',
      })

      const name = String((await lineItem())?.name)
      const deliver = async (now: string, counts: Readonly<Record<string, number>>) => {
        const delivery = Object.entries(counts).map(([day, impressions]) => ({
          ...{ line: name, day },
          counts: { AD_SERVER_IMPRESSIONS: impressions },
        }))
        await network.control({ now, delivery })
        seller.setClock(now)
      }
      const totals = async () => {
        const { data } = await seller.buyer.call('get_media_buy_delivery', {
          ...{ media_buy_ids: [buy.media_buy_id], start_date: '2026-03-01', end_date: '2026-03-31' },
        })
        const { impressions, spend } = data.media_buy_deliveries[0].totals
        return { impressions, spendMicros: micros(spend) }
      }
      await deliver('2026-03-04T09:00:00Z', DAYS)
      const [first, second] = [DAYS['2026-03-02'], DAYS['2026-03-03']]
      const delivered = { impressions: first + second, spendMicros: cost(first, second) }
      await vi.waitFor(async () => expect(await totals()).toEqual(delivered), WAIT)

      // Three weeks later: figures of the last 30 days are asked for again.
      await deliver('2026-03-28T09:00:00Z', { '2026-03-03': CORRECTED })
      const corrected = { impressions: first + CORRECTED, spendMicros: cost(first, CORRECTED) }
      await vi.waitFor(async () => expect(await totals()).toEqual(corrected), WAIT)

      const { invoices } = await line.json('billing', 'close', '2026-03', '--yes', ...AT)
      expect(invoices.map(({ total }: { total: number }) => micros(total))).toEqual([corrected.spendMicros])
      const invoice = await line.json('billing', 'show', invoices[0].invoice_id, ...AT)
      expect(invoice.lines).toMatchObject([
        { kind: 'delivery', media_buy_id: buy.media_buy_id, package_id: buy.packages[0].package_id, product_id: 'news' },
      ])
      expect(micros(invoice.lines[0].amount)).toBe(corrected.spendMicros)
      expect(invoice.lines[0]).toMatchObject({ unit: 'impressions', quantity: corrected.impressions })
    },
    PATIENCE,
  )
})
