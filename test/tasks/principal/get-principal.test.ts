import { describe, expect, test } from 'vitest'
import { principalAgent } from '../../support/principal-agent.ts'
import { LINES } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('what an agent knows of its caller', () => {
  const { ask, config, read, sync } = principalAgent()

  test('a caller is recognized until it asked for something, and both tasks keep one set', async () => {
    expect(await read()).toEqual({ kind: 'recognized', principal_id: expect.any(String), principal_kind: 'buyer_agent' })
    const dry = await sync([config('paused', { active: false })], { dry_run: true })
    expect(dry.data.result).toEqual({ kind: 'validated', action: 'would_update', dry_run: true })
    expect((await read()).kind, 'a dry run keeps nothing').toBe('recognized')

    const { data } = await ask('sync_agent_notification_configs', { notification_configs: [config('paused', { active: false })] })
    expect(data).toMatchObject({ action: 'updated', dry_run: false, notification_configs: [config('paused', { active: false })] })
    const first = await read()
    expect(first).toMatchObject({ kind: 'current', configuration: { notification_configs: [{ subscriber_id: 'paused' }] } })

    const same = await sync([config('paused', { active: false })], {
      expected_configuration_version: first.configuration_version,
    })
    expect(same.data.result).toMatchObject({
      kind: 'applied',
      action: 'unchanged',
      configuration_version: first.configuration_version,
    })
    const cleared = await sync([])
    expect(cleared.data.result).toMatchObject({ action: 'cleared', configuration: { notification_configs: [] } })
    expect(cleared.data.result.configuration_version).not.toBe(first.configuration_version)
    const again = await ask('sync_agent_notification_configs', { notification_configs: [], dry_run: true })
    expect(again.data).toMatchObject({ action: 'unchanged', dry_run: true, notification_configs: [] })
  })
})
