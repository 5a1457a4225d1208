import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_TASKS } from '../support/base-tasks.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, sandbox: true })
})
afterAll(() => agent.stop())

const tasks = BASE_TASKS.map(({ name }) => name)
/** What the official clients of 3.1 and 3.2 put beside the members of every task. */
const envelope = {
  $schema: '/schemas/3.0.6/any.json',
  adcp_version: '3.2',
  adcp_major_version: 3,
  context: { trace: 't-1' },
  context_id: 'ctx-1',
  ext: {},
  governance_context: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
  push_notification_config: { url: 'https://buyer.example/hooks' },
}

describe('members of the request envelope', () => {
  it.each(tasks)('%s takes them beside its own', async (task) => {
    const { data } = await agent.buyer.call(task, { ...envelope, idempotency_key: randomUUID() })
    const { issues = [] }: { issues?: readonly { pointer: string }[] } = data.adcp_error ?? {}
    expect(issues.filter(({ pointer }) => pointer.slice(1) in { ...envelope, idempotency_key: '' })).toEqual([])
    expect(data.adcp_error?.code).not.toBe('VERSION_UNSUPPORTED')
  })

  it('a closed task answers, and remembers the key', async () => {
    const key = randomUUID()
    const args = { ...envelope, idempotency_key: key }
    const first = await agent.buyer.call('list_property_lists', args)
    expect(first.data).toMatchObject({ status: 'completed', lists: [], context: { trace: 't-1' } })
    const second = await agent.buyer.call('list_property_lists', args)
    expect(second.data).toMatchObject({ lists: [], replayed: true })
  })

  it('a member of nobody is still refused by a closed task', async () => {
    const { data } = await agent.buyer.call('list_property_lists', { ...envelope, adcp_versions: '3.0' })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'adcp_versions' })
  })

  it.each(['short', 7, `${'k'.repeat(20)} `])('the key %j is refused where the schema has none', async (key) => {
    const { data } = await agent.buyer.call('list_property_lists', { idempotency_key: key })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'idempotency_key' })
  })
})

describe('a protocol version', () => {
  it.each(tasks)('of another major is refused by %s', async (task) => {
    for (const [field, value] of Object.entries({ adcp_version: '4.0', adcp_major_version: 4 })) {
      const { data } = await agent.buyer.call(task, { [field]: value, context: { trace: 't-2' } })
      const details = { supported_versions: ['3.0'], supported_major_versions: [3] }
      expect(data).toMatchObject({ adcp_error: { code: 'VERSION_UNSUPPORTED', field, details }, context: { trace: 't-2' } })
    }
  })

  it.each(['3.0', '3.0.7', '3.1', '3.1-beta', '3.2', '', null])('%j is served', async (version) => {
    const { data } = await agent.buyer.call('list_collection_lists', { adcp_version: version })
    expect(data).toMatchObject({ status: 'completed', lists: [] })
  })

  it.each(['2.5', '03.0', '3', 'latest', '3.0; drop', 3.0, ['3.0'], true])('%j is refused', async (version) => {
    const { data } = await agent.buyer.call('list_collection_lists', { adcp_version: version })
    expect(data.adcp_error).toMatchObject({ code: 'VERSION_UNSUPPORTED', field: 'adcp_version' })
    expect(data.adcp_error.message).toContain('"3.0"')
  })
})
