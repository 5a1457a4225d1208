import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BookedLine } from '../../../src/ad-serving/ad-server.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { LINES } from '../../support/release-agent.ts'
import { type ReportedAccount, startReportedAccount } from '../../support/reported-account.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

describe.skipIf(!LINES.includes('3.2'))('subscribers of an account are told of reports', () => {
  const contracts = loadContracts()
  const { schemas } = contracts.find('3.2') ?? contracts.base
  let reported: ReportedAccount
  let receiver: WebhookReceiver
  let views = 1_234
  /** Each once: the clock of the test jumps over the time that a delivery on its way has, and it is repeated under its key. */
  const told = (type: string) => {
    const bodies = receiver.at('/reports').map(({ body }) => body)
    const byKey = new Map(bodies.map((body) => [body.idempotency_key, body]))
    return [...byKey.values()].filter((body) => body.notification_type === type)
  }

  beforeAll(async () => {
    receiver = await startReceiver()
    receiver.answer(({ body }, response) => {
      response.writeHead(200).end(JSON.stringify(body.challenge === undefined ? {} : { challenge: body.challenge }))
    })
    reported = await startReportedAccount()
    const { adServers } = reported.agent.server.services
    const { of } = adServers
    const counted = (lines: readonly BookedLine[]) =>
      lines.map(({ packageId }) => ({ packageId, days: [{ ...NOTHING, day: '2026-03-17', impressions: views, views }] }))
    const reportDelivery = { value: async (lines: readonly BookedLine[]) => counted(lines) }
    Object.assign(adServers, { of: (...asked: Parameters<typeof of>) => Object.create(of(...asked), { reportDelivery }) })
    const configured = await reported.configure([reported.config('snapshot'), reported.config('billing')])
    expect(configured.errors).toBeUndefined()
    const subscriber = {
      ...{ subscriber_id: 'finance', url: `${receiver.origin}/reports` },
      event_types: ['reporting.ledger_changed', 'reporting.delivery_ready'],
    }
    const { data } = await reported.ask('sync_accounts', {
      accounts: [{ account: { account_id: reported.account_id }, notification_configs: [subscriber] }],
    })
    expect(data.accounts[0].errors).toBeUndefined()
  }, 120_000)
  afterAll(async () => {
    await reported?.agent.stop()
    await receiver?.close()
  })

  test('by the ids and with the digests that calls and files have', async () => {
    for (const moment of ['2026-03-18T01:00:00Z', '2026-03-25T08:00:00Z', '2026-03-25T20:00:00Z']) {
      reported.goTo(Date.parse(moment))
      if (moment.endsWith('T20:00:00Z')) views += 10
      await reported.status('summary')
    }
    const period = { start: '2026-03-17T00:00:00.000Z', end: '2026-03-18T00:00:00.000Z' }
    const { revisions, adjustments, materializations } = await reported.status('periods', { period })
    expect([revisions.length, adjustments.length, materializations.length]).toEqual([4, 2, 1])
    const published = [
      ...revisions.map((each: { reporting_revision_id: string }) => each.reporting_revision_id),
      ...adjustments.map((each: { reporting_adjustment_id: string }) => each.reporting_adjustment_id),
      ...materializations.map((each: { reporting_materialization_id: string }) => each.reporting_materialization_id),
    ]
    const ids = () => new Set(receiver.at('/reports').map(({ body }) => body.notification_id))
    await expect.poll(() => published.filter((id) => !ids().has(id)), { timeout: 30_000 }).toEqual([])
    const changes = told('reporting.ledger_changed')
    for (const body of changes) expect(schemas.validator('core/reporting-ledger-changed-webhook.json')(body)).toEqual([])
    const named = changes.map(
      ({ reporting_revision_id: revision, reporting_adjustment_id: correction }) => revision ?? correction,
    )
    expect(new Set(named).size).toBe(named.length)
    for (const { reporting_adjustment_id: id } of adjustments) expect(named).toContain(id)
    for (const revision of revisions) {
      const { reporting_revision_id, row_count, control_totals, finality } = revision
      expect(changes).toContainEqual(
        expect.objectContaining({ change_kind: 'revision_published', reporting_revision_id, finality }),
      )
      const { data } = await reported.ask('get_media_buy_delivery', {
        ...{ account: { account_id: reported.account_id }, reporting_revision_id },
      })
      const binding = { reporting_revision_id, row_count, control_totals, reporting_rows: data.reporting_rows }
      expect(hash('sha256', canonicalize(binding) ?? '', 'hex')).toBe(revision.revision_content_sha256)
      expect(data.reporting_revision_binding.content_sha256).toBe(revision.revision_content_sha256)
    }

    const [made] = materializations
    const ready = told('reporting.delivery_ready').find((body) => body.notification_id === made.reporting_materialization_id)
    expect(schemas.validator('core/reporting-delivery-ready-webhook.json')(ready)).toEqual([])
    expect(ready).toMatchObject({
      ...{ account_id: reported.account_id, subscriber_id: 'finance', delivery_config_id: 'billing', feed_purpose: 'billing' },
      ...{ reporting_revision_id: made.reporting_revision_id, finality: 'official', readiness: 'available' },
    })
    const address = made.resource.location.replace('https://seller.example', new URL(reported.agent.url).origin)
    const answer = await fetch(address, { headers: { authorization: `Bearer ${reported.agent.key}` } })
    expect(await answer.json()).toMatchObject({ reporting_revision_id: ready?.reporting_revision_id })
  })
})
