import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { approve } from '../../src/tasks/approvals/decide.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'
import { DEMO_ACCOUNT } from '../support/start-agent.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const contracts = loadContracts()
let agent: ReleaseAgent
let receiver: WebhookReceiver
let now = new Date('2026-03-16T12:00:00Z')
beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startReleaseAgent({ clock: () => now })
})
afterAll(async () => {
  await agent?.stop()
  await receiver?.close()
})

const faultsOf = (line: string, task: string, data: object) => contracts.find(line)?.schemas.response(task)(data)
const namesRelease = (data: { adcp_version?: string; media_buy_status?: string }, line: string) => {
  expect(data.media_buy_status === undefined, JSON.stringify(data)).toBe(line === '3.0')
}

describe.each(LINES)('an order that the publisher has to approve, sent under AdCP %s', (line) => {
  test('is answered in that release, by webhook too, and its task in the release of who asks', async () => {
    const path = `/pending-${line}`
    const { data: submitted } = await agent.ask(line, 'create_media_buy', {
      account: DEMO_ACCOUNT,
      brand: DEMO_ACCOUNT.brand,
      start_time: '2026-05-01T00:00:00Z',
      end_time: '2026-05-15T00:00:00Z',
      packages: [{ product_id: 'mobile_app_display', pricing_option_id: 'cpm_usd_auction', bid_price: 4, budget: 500 }],
      push_notification_config: { url: `${receiver.origin}${path}`, operation_id: `op-${line}` },
    })
    expect(submitted, JSON.stringify(submitted)).toMatchObject({ status: 'submitted', task_id: expect.any(String) })
    expect(submitted.adcp_version).toBe(line === '3.0' ? undefined : line)

    now = new Date(now.getTime() + 60_000)
    const services = { ...agent.server.services, store: agent.server.store }
    await approve(services, agent.tenant, submitted.task_id, [], now)
    const { scheduler, dispatcher } = agent.server.webhooks
    scheduler.wake()
    await scheduler.idle()
    dispatcher.wake()
    await dispatcher.idle()
    const received = await receiver.expect(path, 1)
    const { body } = received.at(-1) ?? { body: {} }
    expect(body, JSON.stringify(body)).toMatchObject({ status: 'completed', task_id: submitted.task_id })
    expect(faultsOf(line, 'create_media_buy', body.result), JSON.stringify(body.result)).toEqual([])
    namesRelease(body.result, line)

    for (const asking of LINES) {
      const { data } = await agent.ask(asking, 'get_task_status', { task_id: submitted.task_id, include_result: true })
      expect(faultsOf(asking, 'get_task_status', data), JSON.stringify(data)).toEqual([])
      expect(data).toMatchObject({ status: 'completed', result: { media_buy_id: body.result.media_buy_id } })
      expect(data.adcp_version).toBe(asking === '3.0' ? undefined : asking)
      namesRelease(data.result, asking)
    }
  })
})
