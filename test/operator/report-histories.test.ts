import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { reconcileReports } from '../../src/operator/billing/reconcile-reports.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { listReportStatements } from '../../src/operator/reports/report-statements.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { seeded } from '../../tools/faults/random.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'
import { contracts, LINES } from '../support/release-agent.ts'

/** Histories of one run; `HISTORIES=10000` for a long one. */
const COUNT = Number(process.env.HISTORIES ?? 2)
const DAY = 86_400_000
/** Days with delivery. */
const DAYS = ['2026-03-05', '2026-03-06', '2026-03-07', '2026-03-08', '2026-03-09']
/** Of an impression, at 5 USD a thousand. */
const PRICE_MICROS = 5_000

interface Revision {
  readonly reporting_revision_id: string
  readonly report_definition_id: string
  readonly revision_content_sha256: string
  readonly finality: string
  readonly period: { readonly start: string }
  readonly row_count: number
  readonly control_totals: readonly Total[]
}
interface Adjustment {
  readonly reporting_adjustment_id: string
  readonly canonical_adjustment_sha256: string
  readonly adjusts_reporting_revision_id: string
  readonly control_total_deltas: readonly Total[]
}
interface Total {
  readonly name: string
  readonly value: string
}
interface Materialization {
  readonly reporting_materialization_id: string
  readonly reporting_obligation_id: string
  readonly reporting_revision_id: string
  readonly feed_purpose: string
  readonly verification: {
    readonly row_count: number
    readonly control_totals: readonly Total[]
    readonly canonical_content_digest: object
  }
}
interface Receipt {
  readonly reporting_receipt_id: string
  readonly status: string
}
interface Obligation {
  readonly reporting_obligation_id: string
  readonly report_definition_id: string
  readonly feed_purpose: string
  readonly reconciliation_status: string
  readonly delivery_config_id: string
  readonly required_finality: string
  readonly current_consumer_status_id?: string
  readonly period: { readonly start: string; readonly end: string }
}

/** One order with an account of its own, what its ad server counts, and the books of its buyer. */
interface History {
  readonly account: object
  readonly accountId: string
  readonly packageId: string
  /** Impressions by day, as the ad server counts them now. */
  readonly counted: Map<string, number>
  /** Days that the ad server leaves out at the moment, and whether it answers at all. */
  readonly lost: Set<string>
  isAway: boolean
  checkpoint?: string | undefined
  readonly revisions: Map<string, Revision>
  readonly adjustments: Map<string, Adjustment>
  readonly obligations: Map<string, Obligation>
  readonly said: Map<string, object>
  readonly materializations: Map<string, Materialization>
  /** The newest receipt of each report and correction. */
  readonly receipts: Map<string, Receipt>
}

interface Method {
  readonly provider: object
  readonly destination_modes: unknown
}

/** The method of an offering with the place of the files. */
function provisioned({ provider, destination_modes: _modes, ...method }: Method) {
  return { ...method, destination: { mode: 'provision', provider, location: 'https://seller.example/reporting/files/' } }
}

const random = seeded(20_260_305)
const upTo = (most: number) => Math.floor(random() * most)
const chance = (share: number) => random() < share

describe.skipIf(!LINES.includes('3.2'))('histories of reports', () => {
  const histories: History[] = []
  let agent: MediaBuyAgent
  let adServer: AdServer
  let now = Date.parse('2026-03-01T12:00:00.000Z')

  beforeAll(async () => {
    const simulator = createSimulator()
    adServer = {
      ...simulator,
      reportDelivery: async (...asked) => {
        const lines = await simulator.reportDelivery(...asked)
        const known = new Map(histories.map((history) => [history.packageId, history]))
        if (lines.some(({ packageId }) => known.get(packageId)?.isAway))
          throw new AdcpError('SERVICE_UNAVAILABLE', 'the ad server is away')
        return lines.map((line) => ({ ...line, days: daysOf(known.get(line.packageId)) }))
      },
    }
    const flags = { publicUrl: 'https://seller.example' }
    agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], {
      clock: () => new Date(now),
      adServer,
      contracts,
      flags,
    })
    for (let index = 0; index < COUNT; index += 1) histories.push(await begin(index))
  }, 3_600_000)
  afterAll(() => agent?.stop())

  /** Days that are over, in any order, without those that are lost; some are reported twice a visit by the visits. */
  function daysOf(history: History | undefined) {
    const today = new Date(now).toISOString().slice(0, 10)
    const days = [...(history?.counted ?? [])].filter(([day]) => day < today && !history?.lost.has(day))
    const shown = days.map(([day, impressions]) => ({ ...NOTHING, day, impressions, spendMicros: impressions * PRICE_MICROS }))
    return shown
      .map((each) => ({ each, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ each }) => each)
  }

  const ask = async (task: string, args: object) => {
    now += 1_000
    const { isError, data } = await agent.run(task, { adcp_version: '3.2', ...args })
    if (isError) throw new Error(`${task}: ${JSON.stringify(data)}`)
    return data
  }

  async function begin(index: number): Promise<History> {
    const account = { brand: { domain: `r${index}.example` }, operator: 'agency.example' }
    await ask('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
    const { offerings: all } = (await ask('get_adcp_capabilities', { account: undefined })).media_buy.reporting_delivery
    const offerings = all.filter(
      ({ method, offering_id: id }: { method?: object; offering_id: string }) =>
        (method === undefined && id.startsWith('delivery-daily-')) || id === 'delivery-daily-billing-jsonl',
    )
    const configs = offerings.map(
      (offering: { reporting_profile: { id: string }; supported_finality: string[]; [name: string]: unknown }) => ({
        ...{ delivery_config_id: String(offering.feed_purpose), delivery_config_version: 1, offering_id: offering.offering_id },
        ...{
          feed_purpose: offering.feed_purpose,
          report_definition_id: offering.report_definition_id,
          schedule: offering.schedule,
        },
        ...{ active: true, reporting_profile: offering.reporting_profile.id, scope: { all_media_buys: true } },
        ...{
          coverage_requirement: 'full',
          required_finality: offering.supported_finality[0],
          reconciliation_mode: offering.reconciliation_mode,
        },
        ...(offering.method !== undefined && { method: provisioned(offering.method as Method) }),
      }),
    )
    const synced = await ask('sync_accounts', {
      account: undefined,
      accounts: [{ account, reporting_delivery_configs: configs }],
    })
    expect(synced.accounts[0].reporting_delivery_configs, JSON.stringify(synced)).toHaveLength(3)
    const { data, isError } = await agent.create({
      ...{ account, brand: account.brand, start_time: '2026-03-04T00:00:00Z', end_time: '2026-03-12T00:00:00Z' },
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 90_000 }],
    })
    if (isError) throw new Error(JSON.stringify(data))
    const ids = { packageId: data.packages[0].package_id, accountId: data.account.account_id }
    const books = {
      revisions: new Map(),
      adjustments: new Map(),
      obligations: new Map(),
      said: new Map(),
      materializations: new Map(),
      receipts: new Map(),
    }
    return { account, ...ids, counted: new Map(), lost: new Set(), isAway: false, ...books }
  }

  /** What happens at the ad server until the next visit: late and corrected counts, days that are lost and come back, outages. */
  function happens(history: History, isCalm: boolean): void {
    history.isAway = !isCalm && chance(0.15)
    history.lost.clear()
    for (const day of DAYS) {
      if (isCalm || new Date(now).toISOString().slice(0, 10) <= day) continue
      if (!history.counted.has(day) && chance(0.8)) history.counted.set(day, 1 + upTo(50_000))
      else if (chance(0.3)) history.counted.set(day, Math.max(0, (history.counted.get(day) ?? 0) + upTo(4_000) - 1_000))
      if (chance(0.1)) history.lost.add(day)
    }
  }

  /** The buyer brings its books up to date from where it left off. Nothing that it has may have changed. */
  async function visit(history: History): Promise<void> {
    let cursor: string | undefined
    let next = history.checkpoint
    do {
      const page = await ask('get_reporting_status', {
        ...{ account: history.account, view: 'periods', pagination: { max_results: 20, ...(cursor && { cursor }) } },
        ...(history.checkpoint && { changes_after: history.checkpoint }),
      })
      for (const each of page.revisions) keep(history.revisions, each.reporting_revision_id, each)
      for (const each of page.adjustments) keep(history.adjustments, each.reporting_adjustment_id, each)
      for (const each of page.consumer_statuses) keep(history.said, each.reporting_status_id, each)
      for (const each of page.materializations) keep(history.materializations, each.reporting_materialization_id, each)
      for (const each of page.periods) history.obligations.set(each.reporting_obligation_id, each)
      next = page.changes_checkpoint
      cursor = page.pagination.cursor
    } while (cursor)
    history.checkpoint = next
  }

  function keep<T>(books: Map<string, T>, id: string, record: T): void {
    expect(record).toEqual(books.get(id) ?? record)
    books.set(id, record)
  }

  /** The rows of a report, whose digest is computed from what was read. */
  async function rowsOf(history: History, revision: Revision) {
    const { reporting_revision_id: id } = revision
    const answer = await ask('get_media_buy_delivery', { account: history.account, reporting_revision_id: id })
    const { row_count, control_totals } = revision
    const binding = { reporting_revision_id: id, row_count, control_totals, reporting_rows: answer.reporting_rows }
    expect(hash('sha256', canonicalize(binding) ?? '', 'hex')).toBe(revision.revision_content_sha256)
    return answer.reporting_rows as readonly { metrics?: { impressions: number }; impressions?: string }[]
  }

  /** The buyer says of some periods what it has, and of some what it misses. */
  async function says(history: History, share: number): Promise<void> {
    const statuses: object[] = []
    for (const obligation of history.obligations.values()) {
      if (!chance(share)) continue
      if (obligation.feed_purpose === 'billing') continue
      const own = [...history.revisions.values()].filter(
        ({ period, report_definition_id: id }) =>
          period.start === obligation.period.start && id === obligation.report_definition_id,
      )
      const official = own.find(({ finality }) => finality === 'official')
      const read = official ?? (obligation.required_finality === 'snapshot' ? own.at(-1) : undefined)
      const before = obligation.current_consumer_status_id
      const last = before === undefined ? undefined : (history.said.get(before) as { reporting_revision_id?: string } | undefined)
      if (!read || (last && last.reporting_revision_id === read.reporting_revision_id)) continue
      const isDisputed = share < 1 && chance(0.2)
      statuses.push({
        ...{ reporting_status_id: `said-by-buyer-${crypto.randomUUID()}`, delivery_config_id: obligation.delivery_config_id },
        ...{ delivery_config_version: 1, report_definition_id: obligation.report_definition_id, period: obligation.period },
        ...(before !== undefined && { supersedes_reporting_status_id: before }),
        ...{ reporting_obligation_id: obligation.reporting_obligation_id, reporting_revision_id: read.reporting_revision_id },
        ...(isDisputed && { consumer_status: 'unreadable', failure_code: 'transport_failed' }),
        ...(!isDisputed && { consumer_status: 'received', observed_revision_content_sha256: read.revision_content_sha256 }),
        status_as_of: new Date(now).toISOString(),
      })
    }
    if (statuses.length === 0) return
    const { results } = await ask('sync_reporting_status', { account: history.account, statuses })
    expect(results.filter(({ result }: { result: string }) => result !== 'recorded')).toEqual([])
  }

  /** The buyer accepts or rejects some of the files for billing and of the corrections; in the end it accepts all. */
  async function receives(history: History, share: number): Promise<void> {
    const base = (about: string) => {
      const before = history.receipts.get(about)
      const isRejected = share < 1 && chance(0.2)
      const receipt = {
        ...{ reporting_receipt_id: `received-by-buyer-${crypto.randomUUID()}`, status: isRejected ? 'rejected' : 'accepted' },
        ...(before && { supersedes_reporting_receipt_id: before.reporting_receipt_id }),
        ...(isRejected && { rejection_codes: ['TOTALS_MISMATCH'] }),
        observed_at: new Date(now).toISOString(),
      }
      history.receipts.set(about, receipt)
      return receipt
    }
    const isOpen = (about: string) => history.receipts.get(about)?.status !== 'accepted' && chance(share)
    const files = [...history.materializations.values()].filter((each) => isOpen(each.reporting_materialization_id))
    const receipts = files.map(({ verification, ...made }) => ({
      ...base(made.reporting_materialization_id),
      reporting_obligation_id: made.reporting_obligation_id,
      reporting_revision_id: made.reporting_revision_id,
      reporting_materialization_id: made.reporting_materialization_id,
      ...{ verification_profile: 'canonical_digest', observed_row_count: verification.row_count },
      observed_control_totals: verification.control_totals,
      observed_canonical_content_digest: verification.canonical_content_digest,
    }))
    const billed = [...history.adjustments.values()].filter(({ adjusts_reporting_revision_id: id }) =>
      history.revisions.get(id)?.report_definition_id.includes('billing'),
    )
    const corrections = billed
      .filter((each) => isOpen(each.reporting_adjustment_id))
      .map((each) => ({
        ...base(each.reporting_adjustment_id),
        reporting_adjustment_id: each.reporting_adjustment_id,
        adjusts_reporting_revision_id: each.adjusts_reporting_revision_id,
        observed_adjustment_sha256: each.canonical_adjustment_sha256,
      }))
    if (receipts.length + corrections.length === 0) return
    const { results } = await ask('sync_reporting_receipts', {
      account: history.account,
      ...(receipts.length > 0 && { receipts }),
      ...(corrections.length > 0 && { adjustment_receipts: corrections }),
    })
    expect(results.filter(({ result }: { result: string }) => result !== 'recorded')).toEqual([])
  }

  const totalOf = (totals: readonly Total[], name: string) =>
    Math.round(Number(totals.find((each) => each.name === name)?.value ?? 0) * 1e6)

  it('with late, lost, repeated and reordered data: ledger, reports, statements, receipts and invoice agree, and no report ever changes', async () => {
    for (let day = Date.parse('2026-03-05T09:00:00Z'); day <= Date.parse('2026-04-02T09:00:00Z'); day += DAY) {
      now = day
      const isCalm = day >= Date.parse('2026-03-30T00:00:00Z')
      for (const history of histories) {
        happens(history, isCalm)
        if (!isCalm && chance(0.6)) continue
        await visit(history)
        if (chance(0.2)) await visit(history)
        await says(history, 0.4)
        await receives(history, 0.4)
      }
    }
    for (const history of histories) {
      await visit(history)
      // What was called unreadable is read again, so that both sides agree in the end.
      await says({ ...history, said: new Map() }, 1).catch((error) => {
        throw new Error(`${history.accountId}: ${error}`)
      })
      await receives(history, 1)
      await visit(history)
      const owed = [...history.obligations.values()].filter(({ feed_purpose: purpose }) => purpose === 'billing')
      const days = owed.filter(({ period }) => DAYS.includes(period.start.slice(0, 10)))
      expect(days.map(({ reconciliation_status: status }) => status)).toEqual(DAYS.map(() => 'accepted'))
    }
    const operator = operatorBeside(agent, () => new Date(now), adServer)
    const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
    const billed = new Map(invoices.map(({ account, total }) => [account, Math.round(total * 1e6)]))
    const { items } = await performAs(operator, agent.tenant, listReportStatements, {})
    let corrections = 0
    for (const history of histories) {
      let spend = 0
      const invoice = invoices.find(({ account }) => account === history.accountId)?.invoice_id
      const { reports } = await performAs(operator, agent.tenant, showInvoice, { invoice })
      for (const day of DAYS) {
        const official = [...history.revisions.values()].filter(
          (each) => each.period.start.startsWith(day) && each.finality === 'official',
        )
        // One that is read by calls, and one for billing.
        expect([day, new Set(official.map(({ report_definition_id: id }) => id)).size, official.length]).toEqual([day, 2, 2])
        const counted = history.counted.get(day) ?? 0
        for (const last of official) {
          const changes = [...history.adjustments.values()].filter(
            (each) => each.adjusts_reporting_revision_id === last.reporting_revision_id,
          )
          corrections += changes.length
          const sum = (...names: string[]) =>
            [...last.control_totals, ...changes.flatMap((each) => each.control_total_deltas)].reduce(
              (all, total) => (names.includes(total.name) ? all + Math.round(Number(total.value) * 1e6) : all),
              0,
            )
          expect([history.accountId, day, sum('impressions')]).toEqual([history.accountId, day, counted * 1e6])
          expect([history.accountId, day, sum('spend', 'spend.USD')]).toEqual([history.accountId, day, counted * PRICE_MICROS])
          if (!last.report_definition_id.includes('billing')) continue
          const { reporting_revision_id: revision, revision_content_sha256: digest } = last
          const ids = changes.map((each) => each.reporting_adjustment_id)
          expect(reports.find((each) => each.day === day)).toEqual({ day, revision, digest, corrections: ids, shared_with: null })
        }
        spend += counted * PRICE_MICROS
      }
      for (const revision of history.revisions.values()) {
        const rows = await rowsOf(history, revision)
        expect(rows.reduce((all, { metrics, impressions }) => all + Number(metrics?.impressions ?? impressions), 0) * 1e6).toBe(
          totalOf(revision.control_totals, 'impressions'),
        )
      }
      expect([history.accountId, billed.get(history.accountId) ?? 0]).toEqual([history.accountId, spend])
      const reconciled = await performAs(operator, agent.tenant, reconcileReports, {
        account: history.accountId,
        month: '2026-03',
      })
      expect(reconciled.totals).toMatchObject([{ currency: 'USD', billed: spend / 1e6, difference: 0 }])
      expect(reconciled.entries.filter(({ agreed }) => agreed !== null && agreed !== 'yes')).toEqual([])
      const records = new Set(reconciled.entries.map(({ record }) => record))
      // The report for billing counts, and so do its corrections.
      for (const { reporting_adjustment_id: id, adjusts_reporting_revision_id: of } of history.adjustments.values())
        expect([id, records.has(id)]).toEqual([id, history.revisions.get(of)?.report_definition_id.includes('billing')])
      const whole = { ...history, ...{ revisions: new Map(), adjustments: new Map(), obligations: new Map(), said: new Map() } }
      await visit(Object.assign(whole, { checkpoint: undefined }))
      expect(whole.revisions).toEqual(history.revisions)
      expect(whole.adjustments).toEqual(history.adjustments)
      expect(whole.said).toEqual(history.said)
      const period = { start: '2026-03-05T00:00:00Z', end: '2026-03-10T00:00:00Z' }
      const summary = await ask('get_reporting_status', { account: history.account, view: 'summary', period })
      expect(summary).toMatchObject({ health: 'complete', issues: [], obligation_counts: { total: 15, complete: 15 } })
      const states = items.filter(({ account }) => account === history.accountId).map(({ state }) => state)
      expect(states.filter((state) => state !== 'agreed' && state !== 'corrected')).toEqual([])
    }
    expect(corrections).toBeGreaterThan(0)
  }, 36_000_000)
})
