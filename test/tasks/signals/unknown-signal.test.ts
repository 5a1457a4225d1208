import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true })
})
afterAll(() => agent?.stop())

const PLATFORM = [{ type: 'platform', platform: 'dv360' }]

it.each([
  ['sports_fans', /^nearest: \w+/],
  ['qqq', /^such as: \w+/],
])('a signal that there is not (%s) is answered with those that are', async (id, said) => {
  const ask = async (args: object) =>
    (await agent.buyer.call('activate_signal', { idempotency_key: randomUUID(), ...args })).data.adcp_error
  const { message, code } = await ask({ signal_agent_segment_id: id, destinations: PLATFORM })
  expect(code).toBe('SIGNAL_NOT_FOUND')
  const [, hint = '', all] = /^there is no such signal: "\w+"; (.*); (get_signals finds them \(\d+ in all\))$/.exec(message) ?? []
  expect(hint).toMatch(said)
  expect(hint.split(', ').length).toBeLessThanOrEqual(5)
  expect(all).toBeDefined()
  // So is one in a call of another form.
  expect((await ask({ signal_id: id, platform: 'dv360' })).message).toContain(hint)
})
