import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configurationOf } from '../../../src/domain/reporting/offering.ts'
import { agentClient } from '../../support/client.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

const LAB = { account_id: 'reporting_core_lab', sandbox: true }
const LAB_ID = { account_id: LAB.account_id }
const PROBE = 'reporting_core_lifecycle_probe'

describe.skipIf(!LINES.includes('3.2'))('the probes of reports', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent({ flags: { publicUrl: 'https://seller.example', mode: 'development' } })
  }, 120_000)
  afterAll(() => agent?.stop())

  const probe = async (operation: string, params: object = {}, account: object = LAB) =>
    (await agent.ask('3.2', 'comply_test_controller', { account, scenario: PROBE, params: { operation, ...params } })).data
  const periods = async () =>
    (await agent.ask('3.2', 'get_reporting_status', { account: { account_id: LAB.account_id }, view: 'periods' })).data

  it('need `prepare` first, and refuse what would hide something owed or has no promise', async () => {
    expect(await probe('publish_zero_row')).toMatchObject({ success: false, error: 'INVALID_TRANSITION' })
    for (const operation of ['omit_obligation', 'advance_past_escalation'])
      expect(await probe(operation)).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
    expect(await probe('prepare', {}, { sandbox: true })).toMatchObject({ success: false, error: 'NOT_FOUND' })
  })

  it('restate a report, and let the buyer that received the one before be late with reading it again', async () => {
    const prepared = await probe('prepare')
    expect(prepared).toMatchObject({ success: true, simulated: { period: { start: '2026-08-01T00:00:00.000Z' } } })
    const first = (await probe('publish_nonempty')).simulated
    expect(await probe('publish_zero_row')).toMatchObject({ success: false, error: 'INVALID_TRANSITION' })
    const second = (await probe('restate_snapshot')).simulated
    expect(second).toMatchObject({ supersedes_reporting_revision_id: first.reporting_revision_id, row_count: 2 })
    expect(second.reporting_revision_id).not.toBe(first.reporting_revision_id)

    const received = { received_reporting_revision_id: second.reporting_revision_id }
    expect(await probe('restate_after_received', received)).toMatchObject({ success: false, error: 'INVALID_TRANSITION' })
    const [period] = (await periods()).periods
    const statement = {
      reporting_status_id: 'statement-of-a-lab-1',
      ...{ delivery_config_id: period.delivery_config_id, delivery_config_version: 1 },
      ...{ report_definition_id: period.report_definition_id, period: period.period, consumer_status: 'received' },
      ...{ reporting_obligation_id: period.reporting_obligation_id, reporting_revision_id: second.reporting_revision_id },
      ...{ observed_revision_content_sha256: second.revision_content_sha256, status_as_of: second.simulated_now },
    }
    const said = await agent.ask('3.2', 'sync_reporting_status', { account: LAB_ID, statuses: [statement] })
    expect(said.data.results, JSON.stringify(said.data)).toMatchObject([{ result: 'recorded' }])
    const third = (await probe('restate_after_received', received)).simulated
    expect(third).toMatchObject({ supersedes_reporting_revision_id: second.reporting_revision_id })
    expect(third.simulated_now < third.stale_received_grace_deadline).toBe(true)
    expect((await periods()).periods[0]).toMatchObject({ health: 'delayed', revision_count: 3 })
    const again = (await probe('restate_after_received', { ...received, advance_to: 'past_grace' })).simulated
    expect(again.reporting_revision_id).toBe(third.reporting_revision_id)
    expect((await periods()).periods[0]).toMatchObject({ health: 'action_required', revision_count: 3 })
  })

  it('count a buyer that says nothing, once it had the time', async () => {
    await probe('prepare')
    await probe('publish_zero_row')
    const { simulated } = await probe('advance_past_status_deadline')
    expect(simulated).toMatchObject({ automated_recovery_window_seconds: 7_200 })
    const asked = { account: LAB_ID, view: 'summary', delivery_config_ids: [simulated.delivery_config_id] }
    const period = { start: '2026-08-01T00:00:00Z', end: '2026-08-01T01:00:00Z' }
    const { data } = await agent.ask('3.2', 'get_reporting_status', { ...asked, period })
    expect(data).toMatchObject({ health: 'complete', obligation_counts: { total: 1, consumer_status_pending: 1 } })
  })

  it('leave alone an account whose buyer configured reports, and the orders of other buyers', async () => {
    const { data } = await agent.ask('3.2', 'list_accounts')
    const [{ account_id }] = data.accounts
    const reporting_delivery_configs = [configurationOf('delivery-hourly-snapshot', 'own', 'UTC')]
    const accounts = [{ account: { account_id }, reporting_delivery_configs }]
    const synced = await agent.ask('3.2', 'sync_accounts', { accounts })
    expect(synced.data.accounts[0].errors, JSON.stringify(synced.data)).toBeUndefined()
    expect(await probe('prepare', {}, { account_id, sandbox: true })).toMatchObject({ error: 'INVALID_TRANSITION' })
    const other = agentClient(agent.url, await agent.addBuyer({ tenant: agent.tenant, principal: 'another', sandbox: true }))
    const { data: refused } = await other.call('comply_test_controller', {
      ...{ adcp_version: '3.2', idempotency_key: crypto.randomUUID(), account: { account_id: 'lab', sandbox: true } },
      ...{ scenario: PROBE, params: { operation: 'prepare' } },
    })
    expect(refused).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
    expect(refused.error_detail).toContain('media-buy-core-001')
  })
})
