import { describe, expect, it } from 'vitest'
import { type Metrics, NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { reopenDelivery, setDeliverySource, settleOrders } from '../../src/store/ad-serving/delivery-sources.ts'
import { daysOfPackages } from '../../src/store/ad-serving/delivery-sums.ts'
import { readSums, type SumQuery, sumsInParts } from '../../src/store/ad-serving/read-sums.ts'
import { beginRebuild, finishRebuild, isRebuilding } from '../../src/store/ad-serving/rebuild-sums.ts'
import { insertInvoice, insertMonth } from '../../src/store/billing/invoices.ts'
import { unbilledPackages } from '../../src/store/billing/unbilled-packages.ts'
import type { Db, Store } from '../../src/store/database.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { SUM_RULES } from '../../src/store/inspect/inspect-rules-sums.ts'
import { insertMediaBuy } from '../../src/store/media-buy/media-buys.ts'
import { sampleInvoice } from '../support/invoice-samples.ts'
import { NOW, plan } from '../support/media-buy-fixtures.ts'

const tenantId = 'sums'
const RANGE = { first: '2026-03-01', last: '2026-03-31' }
const counted = (impressions: number, spendMicros: number): Metrics => ({ ...NOTHING, impressions, spendMicros })

/** What every storage engine must do for daily sums of delivery. */
export function deliverySumsContract(open: () => Store): void {
  describe('daily sums of delivery', () => {
    const add = (...rows: (Metrics & { lineExternalId: string; period: string; creativeExternalId?: string })[]) =>
      open().transaction((tx) => addDelivery(tx, { tenantId, adServer: 'server', now: NOW }, rows))
    const sums = async (query: Partial<SumQuery>) =>
      (await readSums(open().read, tenantId, { by: [], ...RANGE, ...query }))
        .map(({ values, currency, metrics }) => [...values, currency, metrics.impressions, metrics.spendMicros])
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    const broken = async () => {
      const rows = []
      for (const { broken } of SUM_RULES) rows.push(...(await broken.execute(open().read)).rows)
      return rows
    }

    it('follow the ledger in the transaction that writes it, by product, buyer, advertiser, account and day', async () => {
      await open().transaction(async (tx) => {
        await addTenant(tx, { tenantId, name: 'Sums', domain: 'sums.example' }, NOW)
        for (const principalId of ['one', 'two']) {
          await addPrincipal(tx, { tenantId, principalId, name: principalId, sandbox: false, scopes: [] }, NOW)
          const buy = { ...plan(), mediaBuyId: `mb_${principalId}` }
          const packages = buy.packages.map((pkg) => ({ ...pkg, packageId: `mb_${principalId}-1` }))
          await insertMediaBuy(tx, { tenantId, principalId }, { ...buy, packages: packages.slice(0, 1) })
          await setDeliverySource(tx, tenantId, buy.mediaBuyId, 'ledger')
        }
      })
      await add(
        { ...counted(10, 1_000), lineExternalId: 'mb_one-1', period: '2026-03-05T10', creativeExternalId: 'a' },
        { ...counted(20, 2_000), lineExternalId: 'mb_one-1', period: '2026-03-05T11', creativeExternalId: 'b' },
        { ...counted(5, 500), lineExternalId: 'mb_two-1', period: '2026-03-06' },
      )
      await add({ ...counted(25, 2_222), lineExternalId: 'mb_one-1', period: '2026-03-05T11', creativeExternalId: 'b' })
      expect(await sums({})).toEqual([['USD', 40, 3_722]])
      expect(await sums({ by: ['day'] })).toEqual([
        ['2026-03-05', 'USD', 35, 3_222],
        ['2026-03-06', 'USD', 5, 500],
      ])
      expect(await sums({ by: ['buyer', 'month'] })).toEqual([
        ['one', '2026-03', 'USD', 35, 3_222],
        ['two', '2026-03', 'USD', 5, 500],
      ])
      expect(await sums({ by: ['buyer', 'creative'], sandbox: true })).toEqual([
        ['one', 'a', 'USD', 10, 1_000],
        ['one', 'b', 'USD', 25, 2_222],
        ['two', '', 'USD', 5, 500],
      ])
      expect(await sums({ by: ['order'], buyer: 'two' })).toEqual([['mb_two', 'USD', 5, 500]])
      for (const name of ['product', 'advertiser', 'account'] as const)
        expect((await sums({ by: [name] })).map((row) => row.slice(1))).toEqual([['USD', 40, 3_722]])
      expect([...(await daysOfPackages(open().read, tenantId, ['mb_one-1'])).values()]).toMatchObject([
        [{ day: '2026-03-05', impressions: 35, spendMicros: 3_222 }],
      ])
      expect(await broken()).toEqual([])
    })

    it('are read in parts of the ledger, which come to the same', async () => {
      const inParts = async (query: Partial<SumQuery>, rowsAtOnce: number) => {
        const parts: (string | number)[][][] = []
        for await (const part of sumsInParts(open().read, tenantId, { by: [], ...RANGE, ...query }, rowsAtOnce))
          parts.push(part.map(({ values, metrics }) => [...values, metrics.impressions]))
        return parts
      }
      // Of one package and day all rows are in one part, however many there are.
      const days = [['2026-03-05', 'mb_one-1', 35] as const, ['2026-03-06', 'mb_two-1', 5] as const]
      expect(await inParts({ by: ['day', 'package'] }, 1)).toEqual([[], [days[0]], [days[1]]])
      expect(await inParts({ by: ['day', 'package'] }, 2)).toEqual([[days[0]], [days[1]]])
      expect(await inParts({ by: ['day', 'package'], last: '2026-03-05' }, 2)).toEqual([[days[0]]])
      expect(await inParts({ by: ['order'], buyer: 'two' }, 2)).toEqual([[], [['mb_two', 5]]])
      expect(await inParts({ by: ['day', 'package'] }, 3)).toEqual([days])
      // Totals by the quarter.
      expect(await inParts({ by: ['buyer'], first: '2025-09-01' }, 1)).toEqual([
        [],
        [],
        [
          ['one', 35],
          ['two', 5],
        ],
      ])
    })

    it('leave out what is asked of an ad server, until it is settled', async () => {
      await open().transaction((tx) => setDeliverySource(tx, tenantId, 'mb_two', 'live'))
      expect(await sums({})).toEqual([['USD', 35, 3_222]])
      const days = [{ ...counted(7, 70), packageId: 'mb_two-1', day: '2026-03-07', creativeId: '' }]
      const settled = { mediaBuyId: 'mb_two', revision: plan().revision, source: 'settled' as const, days }
      expect(await open().transaction((tx) => settleOrders(tx, tenantId, [{ ...settled, revision: 99 }]))).toBe(0)
      expect(await open().transaction((tx) => settleOrders(tx, tenantId, [settled]))).toBe(1)
      expect(await open().transaction((tx) => settleOrders(tx, tenantId, [settled]))).toBe(0)
      expect(await sums({ by: ['buyer'] })).toEqual([
        ['one', 'USD', 35, 3_222],
        ['two', 'USD', 12, 570],
      ])
      await open().transaction((tx) => reopenDelivery(tx, tenantId, 'mb_two'))
      expect(await sums({})).toEqual([['USD', 35, 3_222]])
    })

    it('are compared with what was billed of a month: only packages that differ are named', async () => {
      const differing = async (month: string) => {
        const found = await unbilledPackages(open().read, tenantId, month)
        // The same in parts of one package.
        expect(await unbilledPackages(open().read, tenantId, month, 1)).toEqual(found)
        return found
      }
      expect([await differing('2026-03'), await differing('2026-02')]).toEqual([['mb_one-1'], []])
      const invoice = { invoiceId: '1', month: '2026-03', accountId: 'a', currency: 'USD', totalMicros: 3_222 }
      const bill = (invoiceId: string, packageId: string, impressions: number, amountMicros: number) => {
        const of = { accountId: 'a', currency: 'USD', mediaBuyId: 'mb_one', productId: 'news', serviceMonth: '2026-03' }
        const said = { ...invoice, invoiceId, account: {}, createdAt: NOW.toISOString() }
        const lines = [{ ...of, packageId, impressions, amountMicros }]
        return open().transaction((tx) => insertInvoice(tx, tenantId, { invoice: said, lines, document: sampleInvoice() }))
      }
      await open().transaction((tx) => insertMonth(tx, tenantId, '2026-03', { now: NOW, by: 'ada' }))
      await bill('1', 'mb_one-1', 35, 3_000)
      expect(await differing('2026-03')).toEqual(['mb_one-1'])
      await bill('2', 'mb_one-1', 0, 222)
      expect(await differing('2026-03')).toEqual([])
      await bill('3', 'gone', 5, 50)
      expect(await differing('2026-03')).toEqual(['gone'])
    })

    const begin = (timeZone: string) => open().transaction((tx) => beginRebuild(tx, tenantId, timeZone, NOW))

    it('are made again from the ledger, in days of a time zone', async () => {
      await open().transaction((tx) => setDeliverySource(tx, tenantId, 'mb_two', 'ledger'))
      await begin('Asia/Tokyo')
      await finishRebuild(open(), tenantId, () => NOW)
      await add({ ...counted(1, 1), lineExternalId: 'mb_one-1', period: '2026-03-05T15', creativeExternalId: 'a' })
      expect(await sums({ by: ['day'] })).toEqual([
        ['2026-03-05', 'USD', 35, 3_222],
        ['2026-03-06', 'USD', 6, 501],
      ])
      expect(await broken()).toEqual([])
    })

    it('are made again where whoever made them ended in between, in days of the last time zone that was asked for', async () => {
      await add({ ...counted(2, 2), lineExternalId: 'mb_two-1', period: '2026-03-31T23' })
      const before = await sums({ by: ['order'] })
      await begin('America/New_York')
      let steps = 0
      // Ends after the days of the first package.
      const dying: Store = {
        ...open(),
        transaction: (work, options) => {
          steps++
          if (steps > 2) throw new Error('the process ended')
          return open().transaction(work, options)
        },
      }
      await expect(finishRebuild(dying, tenantId, () => NOW)).rejects.toThrow('the process ended')
      expect(await isRebuilding(open().read, tenantId)).toBe(true)
      expect(await isRebuilding(open().read, tenantId, NOW)).toBe(false)
      expect(await isRebuilding(open().read, tenantId, new Date(NOW.getTime() + 60_000))).toBe(true)
      // Whoever is about an older one ends; what is reported meanwhile is counted once.
      const clock = () => NOW
      const overtaken: Store = {
        ...open(),
        transaction: async (work, options) => {
          await begin('UTC')
          return open().transaction(work, options)
        },
      }
      await finishRebuild(overtaken, tenantId, clock)
      expect(await isRebuilding(open().read, tenantId)).toBe(true)
      await add({ ...counted(3, 3), lineExternalId: 'mb_two-1', period: '2026-03-31T23' })
      await finishRebuild(open(), tenantId, clock)
      expect(await isRebuilding(open().read, tenantId)).toBe(false)
      expect(await broken()).toEqual([])
      expect((await sums({ by: ['order'] })).map(([id, , , micros]) => [id, micros])).toEqual(
        before.map(([id, , , micros]) => [id, id === 'mb_two' ? Number(micros) + 3 : micros]),
      )
      expect(await sums({ by: ['day'], first: '2026-03-31' })).toEqual([['2026-03-31', 'USD', 3, 3]])
    })

    it('are made again in parts: others write between them', async () => {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        ...counted(1, 10),
        lineExternalId: index % 2 === 0 ? 'mb_one-1' : 'mb_two-1',
        period: '2026-03-20T01',
        creativeExternalId: `c${index}`,
      }))
      await add(...rows)
      const [before] = await sums({})
      await begin('UTC')
      let written = 0
      let over = false
      const writer = (async () => {
        while (!over) {
          await open().transaction((tx) => begun(tx))
          written++
        }
      })()
      await finishRebuild(open(), tenantId, () => NOW)
      over = true
      await writer
      expect(written).toBeGreaterThan(5)
      expect(await sums({})).toEqual([before])
      expect(await broken()).toEqual([])
    })
  })
}

/** A small write of somebody else. */
async function begun(tx: Db): Promise<void> {
  await tx
    .updateTable('tenants')
    .set((e) => ({ name: e.ref('name') }))
    .where('tenant_id', '=', tenantId)
    .execute()
}
