import { describe, expect, test } from 'vitest'
import { principalAgent } from '../../support/principal-agent.ts'
import { LINES } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('what a caller asks an agent to keep', () => {
  const { agent, ask, config, read, sync } = principalAgent()

  test('another caller has a set of its own', async () => {
    const other = agent().client(await agent().addBuyer({ principal: 'other', tenant: agent().tenant, sandbox: true }))
    await sync([config('mine', { active: false })])
    expect((await read(other)).kind).toBe('recognized')
    await ask('sync_agent_notification_configs', { notification_configs: [] }, other)
    expect(await read()).toMatchObject({ configuration: { notification_configs: [{ subscriber_id: 'mine' }] } })
  })

  test.each<[string, object, string, string]>([
    ['a stale version', { expected_configuration_version: 'pcv_old' }, 'CONFLICT', 'expected_configuration_version'],
    ['another kind of caller', { expected_principal_kind: 'operator' }, 'CONFLICT', 'expected_principal_kind'],
    ['a section that is not kept', { configuration: { declarations: {} } }, 'UNSUPPORTED_FEATURE', 'configuration.declarations'],
  ])('%s is refused, and what was kept stays', async (_what, more, code, field) => {
    await sync([config('kept', { active: false })])
    const { isError, data } = await sync([], more)
    expect(isError).toBe(true)
    expect(data.adcp_error).toMatchObject({ code, field })
    expect(await read()).toMatchObject({ configuration: { notification_configs: [{ subscriber_id: 'kept' }] } })
  })
})
