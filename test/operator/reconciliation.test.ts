import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { adjustmentOf } from '../../src/domain/reporting/adjustment.ts'
import { FORMS } from '../../src/domain/reporting/form.ts'
import { obligationOf, sliceOf } from '../../src/domain/reporting/obligation.ts'
import type { ReportRow } from '../../src/domain/reporting/report-row.ts'
import { revisionOf } from '../../src/domain/reporting/revision.ts'
import { withReports } from '../../src/operator/billing/billed-reports.ts'
import type { PreparedInvoice } from '../../src/operator/billing/prepare-month.ts'
import { reconcileReports } from '../../src/operator/billing/reconcile-reports.ts'
import { reconciliationCsv } from '../../src/operator/billing/reconciliation-csv.ts'
import { reconciliationFile } from '../../src/operator/billing/reconciliation-file.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { insertAccount } from '../../src/store/account/accounts.ts'
import { addRecords } from '../../src/store/reporting/add-records.ts'
import { saveGenerations } from '../../src/store/reporting/generations.ts'
import { adminClient } from '../support/admin-client.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
const now = new Date('2026-03-15T12:00:00.000Z')
const period = { start: '2026-03-04T00:00:00.000Z', end: '2026-03-05T00:00:00.000Z' }
const generation = (offering_id: string, configId: string) => ({
  ...{ configId, version: 1, activatedAt: '2026-03-01T00:00:00.000Z' },
  config: {
    ...{ delivery_config_id: configId, delivery_config_version: 1, offering_id },
    scope: { media_buy_ids: ['mb_1'] },
  },
})
const row = (line: string, impressions: number, spend: number): ReportRow => ({
  ...{ period_start: period.start, period_end: period.end, currency: 'USD' },
  dimensions: { media_buy_id: 'mb_1', package_id: line },
  metrics: { impressions, clicks: 0, views: 0, completed_views: 0, conversions: 0, spend },
})

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = { ...operatorOn(agent.server.store, agent.config), clock: () => now }
  const owner = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_1' }
  const generations = [generation('delivery-daily-snapshot', 'fast'), generation('delivery-daily-official', 'final')]
  const [fast, final] = generations.map((each) => obligationOf({ accountId: 'acc_1', destinationRef: 'd' }, each, period, []))
  if (!fast || !final) throw new Error('there are two configurations')
  const place = { supersedes: undefined, origin: 'https://seller.example', now }
  const rows = [row('a', 1_000, 2.5), row('b', 3, 0.000_003)]
  const snapshot = revisionOf(fast, [row('a', 900, 2.25)], { ...place, finality: 'snapshot' })
  const official = revisionOf(final, rows, { ...place, finality: 'official' })
  const adjustment = adjustmentOf(official, [], [row('a', 1_000, 2.5), row('b', 5, 0.000_005)], { form: FORMS.call, now })
  if (!adjustment) throw new Error('the counts differ')
  const sliceId = sliceOf(fast)
  await agent.server.store.transaction(async (tx) => {
    await saveGenerations(tx, owner, generations)
    await addRecords(
      tx,
      owner,
      [
        ...[fast, final].map((obligation) => ({ kind: 'obligation' as const, sliceId, obligation })),
        { kind: 'revision', sliceId, revision: snapshot, rows: [row('a', 900, 2.25)] },
        { kind: 'revision', sliceId, revision: official, rows },
        { kind: 'adjustment', sliceId, adjustment },
      ],
      { after: 0, now },
    )
  })
})
afterAll(() => agent?.stop())

const reconciled = () => performAs(operator, agent.tenant, reconcileReports, { account: 'acc_1', month: '2026-03' })

it('the final report of a day counts once, with its corrections, to the micro', async () => {
  const found = await reconciled()
  expect(found.totals).toEqual([
    {
      ...{ currency: 'USD', reported: 2.500_003, corrected: 0.000_002, settled: 0 },
      ...{ billed: 0, fees: 0, invoiced: 0, difference: -2.500_005 },
    },
  ])
  expect(found.entries.map(({ kind, line, impressions, amount, agreed }) => [kind, line, impressions, amount, agreed])).toEqual([
    ['report', 'a', 1_000, 2.5, 'silent'],
    ['report', 'b', 3, 0.000_003, 'silent'],
    ['correction', null, 2, 0.000_002, null],
  ])
  expect(found.entries.every(({ digest }) => /^[a-f0-9]{64}$/.test(digest ?? ''))).toBe(true)
  const lines = reconciliationCsv(found).trimEnd().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toContain('report,2026-03-04,reporting-revision.')
})

it('is a page with a file, and empty for an account that has no reports', async () => {
  const ada = await signedIn(agent, 'ada', 'administrator')
  const path = `/console/t/${agent.tenant}/billing/reconciliation/acc_1/2026-03`
  expect((await ada.get(path)).text).toContain('has not said')
  const file = await ada.get(`${path}/csv`)
  expect(file.text).toContain('kind,day,record')
  const pdf = await ada.get(`${path}/pdf`)
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect(pdf.text.slice(0, 5)).toBe('%PDF-')
  const beside = { tenantId: agent.tenant, principalId: 'buyer' }
  const without = {
    key: { brandDomain: 'b.example', brandId: undefined, operator: 'b.example', sandbox: false },
    status: 'active',
    document: { name: 'B' },
  } as const
  const { store } = agent.server
  const made = await store.transaction((tx) => insertAccount(tx, beside, without, now))
  const none = await performAs(operator, agent.tenant, reconcileReports, { account: made?.accountId, month: '2026-03' })
  expect(none).toMatchObject({ entries: [], totals: [], invoices: [] })
})

it('is a file whose rows add up to the totals to the micro', async () => {
  const { totals } = await reconciled()
  const asked = { account: 'acc_1', month: '2026-03', format: 'csv' }
  const { name, content_base64: content } = await performAs(operator, agent.tenant, reconciliationFile, asked)
  expect(name).toBe('reconciliation-acc_1-2026-03.csv')
  const [head = '', ...rows] = Buffer.from(content, 'base64').toString().trimEnd().split('\r\n')
  const at = head.split(',').indexOf('amount')
  const sum = (kind: string) =>
    rows.reduce((micros, row) => (row.startsWith(`${kind},`) ? micros + Math.round(Number(row.split(',')[at]) * 1e6) : micros), 0)
  expect(sum('report')).toBe(Math.round(Number(totals[0]?.reported) * 1e6))
  expect(sum('correction')).toBe(Math.round(Number(totals[0]?.corrected) * 1e6))
})

it('the report of a day (UTC) at the edge of a month is on the invoices of both months of the publisher, and explains a difference', async () => {
  const { store } = agent.server
  const inStockholm = { tenant_id: agent.tenant, time_zone: 'Europe/Stockholm' }
  await store.transaction(async (tx) => {
    await tx.deleteFrom('delivery_zones').where('tenant_id', '=', agent.tenant).execute()
    await tx.insertInto('delivery_zones').values(inStockholm).execute()
  })
  const edge = { start: '2026-02-28T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' }
  const edgeRow = { ...row('a', 84, 0.21), ...{ period_start: edge.start, period_end: edge.end } }
  const obligation = obligationOf(
    { accountId: 'acc_1', destinationRef: 'd' },
    generation('delivery-daily-official', 'final'),
    edge,
    [],
  )
  const sliceId = sliceOf(obligation)
  const place = { supersedes: undefined, origin: 'https://seller.example', now, finality: 'official' as const }
  const revision = revisionOf(obligation, [edgeRow], place)
  const owner = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_1' }
  const records = [
    { kind: 'obligation' as const, sliceId, obligation },
    { kind: 'revision' as const, sliceId, revision, rows: [edgeRow] },
  ]
  await store.transaction((tx) => addRecords(tx, owner, records, { after: 100, now }).then(() => undefined))

  const named = async (serviceMonth: string, mediaBuyId = 'mb_1') => {
    const prepared = { invoice: { accountId: 'acc_1' }, lines: [{ serviceMonth, mediaBuyId }], document: {}, charges: [] }
    const [made] = await withReports(operator, agent.tenant, [prepared as unknown as PreparedInvoice])
    return (made?.document.reports ?? []).map(({ day, sharedWith }) => [day, sharedWith])
  }
  expect(await named('2026-03')).toEqual([
    ['2026-02-28', '2026-02'],
    ['2026-03-04', undefined],
  ])
  expect(await named('2026-02')).toEqual([['2026-02-28', '2026-03']])
  expect(await named('2026-03', 'mb_2')).toEqual([])

  const march = await reconciled()
  expect(march.totals[0]).toMatchObject({ reported: 2.500_003, corrected: 0.000_002 })
  expect(march.shared_days).toEqual([
    { day: '2026-02-28', month: '2026-02' },
    { day: '2026-03-31', month: '2026-04' },
  ])
  expect(march.entries.map(({ kind, day }) => `${kind} ${day}`)[0]).toBe('edge_report 2026-02-28')
  const february = await performAs(operator, agent.tenant, reconcileReports, { account: 'acc_1', month: '2026-02' })
  expect(february.totals).toMatchObject([{ reported: 0.21 }])
  const eva = await signedIn(agent, 'eva', 'administrator')
  const page = await eva.get(`/console/t/${agent.tenant}/billing/reconciliation/acc_1/2026-03`)
  expect(page.text).toContain('billed with it: 2026-02-28 (2026-02), 2026-03-31 (2026-04)')
})

it.each(['acc_unknown', 'direct:nobody.example', 'agency:Nobody'])(
  '%s, which is no account and no party, is not found at every door',
  async (account) => {
    const path = `/billing/reconciliation/${encodeURIComponent(account)}/2026-03`
    const { token } = await createAdminKey(operator, { tenantId: agent.tenant, name: account, role: 'viewer' })
    const call = adminClient(agent.url, token)
    for (const asked of [path, `${path}/file?format=csv`, `${path}/file?format=pdf`]) {
      const { status, data } = await call('GET', asked)
      expect([status, data.title]).toEqual([404, 'REFERENCE_NOT_FOUND'])
    }
    const kim = await signedIn(agent, `kim-${account.length}`, 'viewer')
    for (const form of ['', '/csv', '/pdf']) {
      const { status, text } = await kim.get(`/console/t/${agent.tenant}${path}${form}`)
      expect([status, text.includes('Not found'), text.includes('no account')]).toEqual([404, true, true])
    }
  },
)
