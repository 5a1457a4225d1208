import { describe, expect, test } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { sweepEndpoints } from '../../../src/store/webhook/webhook-endpoints.ts'
import { setTenant } from '../../support/operator.ts'
import { principalAgent } from '../../support/principal-agent.ts'
import { LINES } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('who is told when the capabilities of an agent change', () => {
  const contracts = loadContracts()
  const { agent, ask, config, echoAs, read, receiver, sync } = principalAgent()

  test.each<[string, () => object[], string, string]>([
    [
      'an event that is not sent',
      () => [config('a', { event_types: ['principal.changed'] })],
      '[0].event_types[0]',
      'UNSUPPORTED_FEATURE',
    ],
    [
      'twice the same id',
      () => [config('a', { active: false }), config('a', { active: false })],
      '[1].subscriber_id',
      'VALIDATION_ERROR',
    ],
    ['an address inside', () => [config('a', { url: 'https://10.0.0.1/hook', active: false })], '[0].url', 'INVALID_REQUEST'],
  ])('%s is refused, and what was kept stays', async (_what, configs, field, code) => {
    await sync([config('kept', { active: false })])
    const { isError, data } = await ask('sync_agent_notification_configs', { notification_configs: configs() })
    expect(isError).toBe(true)
    expect(data.adcp_error).toMatchObject({ code, field: `notification_configs${field}` })
    expect(await read()).toMatchObject({ configuration: { notification_configs: [{ subscriber_id: 'kept' }] } })
  })

  test('is what capabilities name for subscribing, in a form that every release of 3.2 reads', async () => {
    const { data } = await ask('get_adcp_capabilities')
    expect(data.adcp.capability_changes.notifications).toMatchObject({
      supported: true,
      registration_task: 'sync_agent_notification_configs',
    })
    expect(data.adcp.principal).toBeUndefined()
    expect(data.experimental_features).toContain('protocol.principal')
  })

  test('who proved its address is told when the capabilities are others, once, and reads what it was told', async () => {
    echoAs(() => ({ challenge: 'something else'.padEnd(32, '.') }))
    const refused = await sync([config('unproven')])
    expect(refused.data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR' })
    echoAs((challenge) => ({ challenge }))
    await sync([config('told'), config('silent', { active: false })])
    const { schemas } = contracts.find('3.2') ?? contracts.base
    const [challenge] = receiver().at('/told')
    expect(schemas.validator('core/agent-webhook-challenge.json')(challenge?.body)).toEqual([])

    const version = async () => (await ask('get_adcp_capabilities')).data.adcp.capability_changes.capabilities_version
    const before = await version()
    expect((await ask('get_adcp_capabilities', { protocols: ['signals'] })).data.adcp.capability_changes).toMatchObject({
      capabilities_version: before,
    })
    await setTenant(operatorOn(agent().server.store, agent().config, contracts), agent().tenant, { billing: ['operator'] })
    const [, event] = await receiver().expect('/told', 2)
    expect(schemas.validator('core/capabilities-changed-webhook.json')(event?.body)).toEqual([])
    expect(await version()).not.toBe(before)
    expect(event?.body).toMatchObject({ subscriber_id: 'told', agent_url: agent().url, capabilities_version: await version() })
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(receiver().at('/told')).toHaveLength(2)
    expect(receiver().at('/silent')).toEqual([])
  })

  test('subscribers are not dropped with registrations that are over', async () => {
    const { store } = agent().server
    const before = await store.read
      .selectFrom('webhook_endpoints')
      .select('endpoint_id')
      .where('kind', '=', 'agent')
      .where('ended_at', 'is', null)
      .execute()
    expect(before).toHaveLength(1)
    await store.transaction(async (tx) => {
      await tx.deleteFrom('webhook_outbox').execute()
      await sweepEndpoints(tx, new Date('2027-01-01T00:00:00Z'))
    })
    const left = await store.read.selectFrom('webhook_endpoints').select('endpoint_id').where('ended_at', 'is', null).execute()
    expect(left).toEqual(before)
  })
})
