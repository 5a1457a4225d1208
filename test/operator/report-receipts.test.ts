import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BookedLine } from '../../src/ad-serving/ad-server.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { reconcileReports } from '../../src/operator/billing/reconcile-reports.ts'
import { findDecisions } from '../../src/operator/notifications/find-conditions.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listReportStatements } from '../../src/operator/reports/report-statements.ts'
import { settleStatement } from '../../src/operator/reports/settle-statement.ts'
import { insertCharge } from '../../src/store/billing/charges.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { operatorBeside, performAs } from '../support/operator.ts'
import { LINES } from '../support/release-agent.ts'
import { type ReportedAccount, startReportedAccount } from '../support/reported-account.ts'

describe.skipIf(!LINES.includes('3.2'))('receipts of buyers', () => {
  let reported: ReportedAccount
  let operator: OperatorContext
  let ada: ConsoleClient
  const period = { start: '2026-03-17T00:00:00.000Z', end: '2026-03-18T00:00:00.000Z' }
  const billing = { period, feed_purposes: ['billing'] }
  const tenant = () => reported.agent.tenant
  const listed = async (members: Readonly<Record<string, unknown>> = {}) =>
    (await performAs(operator, tenant(), listReportStatements, members)).items
  const settle = (members: Readonly<Record<string, unknown>>) => performAs(operator, tenant(), settleStatement, members)
  const send = async (more: object) =>
    (await reported.ask('sync_reporting_receipts', { account: { account_id: reported.account_id }, ...more })).data.results
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
  let made: any
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
  let revision: any
  const receipt = (id: string, more: object = {}) => ({
    ...{ reporting_receipt_id: `receipt-of-buyer-${id}`, reporting_obligation_id: made.reporting_obligation_id },
    ...{ reporting_revision_id: made.reporting_revision_id, status: 'accepted', verification_profile: 'canonical_digest' },
    reporting_materialization_id: made.reporting_materialization_id,
    ...{ observed_row_count: revision.row_count, observed_control_totals: revision.control_totals },
    observed_canonical_content_digest: revision.canonical_content_digest,
    observed_at: new Date(reported.now()).toISOString(),
    ...more,
  })

  beforeAll(async () => {
    reported = await startReportedAccount()
    const { adServers } = reported.agent.server.services
    const { of } = adServers
    const counted = (lines: readonly BookedLine[]) =>
      lines.map(({ packageId }) => ({
        packageId,
        days: [{ ...NOTHING, day: '2026-03-17', impressions: 1_000, views: 1_000, spendMicros: 20_000_000 }],
      }))
    const reportDelivery = { value: async (lines: readonly BookedLine[]) => counted(lines) }
    Object.assign(adServers, { of: (...asked: Parameters<typeof of>) => Object.create(of(...asked), { reportDelivery }) })
    await reported.configure([reported.config('billing')])
    reported.goTo(Date.parse('2026-03-18T01:00:00Z'))
    await reported.status('summary')
    reported.goTo(Date.parse('2026-03-25T08:00:00Z'))
    const answer = await reported.status('periods', billing)
    made = answer.materializations.at(-1)
    revision = answer.revisions.find((each: { finality: string }) => each.finality === 'official')
    operator = operatorBeside(reported.agent, () => new Date(reported.now()))
    ada = await signedIn(reported.agent, 'ada', 'administrator')
  }, 120_000)
  afterAll(() => reported?.agent.stop())

  it('that are due are listed for the account and the order, and wait for nobody at the publisher', async () => {
    const due = [{ about: 'files', said: null, state: 'awaited', issue: null, recorded_at: null, period_start: period.start }]
    expect(await listed()).toMatchObject(due)
    expect(await listed({ account: reported.account_id, order: reported.media_buy_id })).toMatchObject(due)
    expect(await listed({ account: 'another' })).toEqual([])
    expect(await listed({ order: 'another' })).toEqual([])
    expect(await findDecisions(operator, tenant())).toEqual([])
  })

  it('that reject stand in the inbox, on the pages of order and account, and are told as a decision', async () => {
    const rejected = { status: 'rejected', rejection_codes: ['TOTALS_MISMATCH'], observed_row_count: 0 }
    expect(await send({ receipts: [receipt('1', rejected)] })).toMatchObject([{ result: 'recorded' }])
    const [row] = await listed({ state: 'open' })
    expect(row).toMatchObject({
      ...{ about: 'files', said: 'rejected', code: 'TOTALS_MISMATCH', responsible: 'seller', orders: [reported.media_buy_id] },
      revision: revision.reporting_revision_id,
    })
    const base = `/console/t/${tenant()}`
    for (const page of ['inbox', 'home'])
      expect((await ada.get(`${base}/${page}`)).text).toContain('A buyer rejects a billing report')
    expect((await ada.get(`${base}/reports/statements`)).text).toContain(`/reports/statements/${row?.issue}/settle`)
    for (const page of [`orders/${reported.media_buy_id}`, `accounts/${reported.account_id}`]) {
      const { text } = await ada.get(`${base}/${page}`)
      expect(text).toContain('What the buyer says of its reports')
      expect(text).toMatch(/rejected: TOTALS.MISMATCH/i)
    }
    expect(await findDecisions(operator, tenant())).toMatchObject([
      { kind: 'waiting', key: row?.issue, title: expect.stringContaining('The billing report of 2026-03-17') },
    ])
  })

  it('are settled by a correction of the final report, which the buyer accepts, and both books agree', async () => {
    const [{ issue } = { issue: null }] = await listed({ state: 'open' })
    await expect(settle({ issue, settle_as: 'waived', agreed_with: 'their finance' })).rejects.toMatchObject({
      ...{ code: 'INVALID_STATE', field: 'settle_as' },
    })
    await expect(settle({ issue, settle_as: 'adjusted' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'charge' })
    const credit = {
      ...{ chargeId: 'charge_1', kind: 'entered' as const, orderId: reported.media_buy_id, lineId: '', currency: 'USD' },
      ...{ productId: 'news_outstream', micros: -1, reason: 'one view was not shown', madeBy: 'ada' },
      incurredAt: new Date(reported.now()).toISOString(),
    }
    // The orders of this buyer are simulated, and nobody can enter a charge for one.
    await reported.agent.server.store.transaction((tx) => insertCharge(tx, tenant(), credit))
    expect(await settle({ issue, settle_as: 'acknowledged' })).toMatchObject({ state: 'acknowledged' })
    const adjusted = await settle({ issue, settle_as: 'adjusted', charge: credit.chargeId, finding: 'agreed by phone' })
    expect(adjusted).toMatchObject({ state: 'adjusted', settled: { charge: credit.chargeId, note: 'agreed by phone' } })
    await expect(settle({ issue, settle_as: 'acknowledged' })).rejects.toMatchObject({ code: 'INVALID_STATE' })

    const { adjustments, periods } = await reported.status('periods', billing)
    expect(periods[0]).toMatchObject({ adjustment_count: 1, reconciliation_status: 'rejected' })
    expect(adjustments).toMatchObject([
      {
        ...{ adjusts_reporting_revision_id: revision.reporting_revision_id, reason_code: 'commercial_adjustment' },
        control_total_deltas: [{ name: 'spend', value: '-0.000001' }],
      },
    ])
    const [adjustment] = adjustments
    expect(
      await send({
        receipts: [receipt('2', { supersedes_reporting_receipt_id: 'receipt-of-buyer-1' })],
        adjustment_receipts: [
          {
            ...{ reporting_receipt_id: 'receipt-of-correction', status: 'accepted' },
            reporting_adjustment_id: adjustment.reporting_adjustment_id,
            adjusts_reporting_revision_id: adjustment.adjusts_reporting_revision_id,
            observed_adjustment_sha256: adjustment.canonical_adjustment_sha256,
            observed_at: new Date(reported.now()).toISOString(),
          },
        ],
      }),
    ).toMatchObject([{ result: 'recorded' }, { result: 'recorded' }])
    expect(await reported.status('summary', billing)).toMatchObject({ health: 'complete', issues: [] })
    const states = (await listed()).map(({ about, said, state }) => ({ about, said, state }))
    expect(states.toSorted((a, b) => (a.about < b.about ? -1 : 1))).toEqual([
      { about: 'correction', said: 'accepted', state: 'agreed' },
      { about: 'files', said: 'accepted', state: 'corrected' },
    ])
    const { totals, entries } = await performAs(operator, tenant(), reconcileReports, {
      ...{ account: reported.account_id, month: '2026-03' },
    })
    expect(totals).toMatchObject([{ reported: 20, corrected: 0, settled: -0.000001 }])
    expect(entries.filter(({ kind }) => kind === 'settlement')).toMatchObject([{ amount: -0.000001, agreed: 'yes' }])
    expect(entries.filter(({ kind }) => kind === 'report')).toMatchObject([{ agreed: 'yes', said: 'accepted' }])
  })
})
