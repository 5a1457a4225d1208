import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertTask } from '../../../src/store/task/tasks.ts'
import { skillMessage } from '../../support/a2a-client.ts'
import { type Credentials, equip, post, signed } from '../../support/credentials.ts'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let web: FakeWeb
let agent: TestAgent
let credentials: Credentials
let url: string
let taskId: string

beforeAll(async () => {
  web = await startFakeWeb()
  agent = await startAgent({ safeFetch: web.fetch() })
  credentials = await equip(agent, web)
  url = agent.url.replace(/\/mcp$/, '/a2a')
  taskId = `task_${randomUUID()}`
  const { result } = (await call('message/send', { message: skillMessage('list_accounts', {}) })).body
  expect(result.status.state).toBe('completed')
  const principal = await agent.server.store.read.selectFrom('agent_key_sources').select('principal_id').executeTakeFirstOrThrow()
  const task = { taskId, accountId: '', taskType: 'create_media_buy', protocol: 'media-buy', status: 'submitted' } as const
  const owner = { tenantId: agent.tenant, principalId: principal.principal_id }
  await agent.server.store.transaction((tx) => insertTask(tx, owner, { ...task, request: {}, hasWebhook: false }, new Date()))
})
afterAll(async () => {
  await agent.stop()
  await web.close()
})

async function call(method: string, params: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return post(url, body, await signed(url, body, credentials.signer))
}

describe('a signed request over A2A', () => {
  it('counts once, however many things are asked about who sent it', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: taskId } })
    const headers = await signed(url, body, credentials.signer)
    expect((await post(url, body, headers)).body.result).toMatchObject({ id: taskId, status: { state: 'submitted' } })
    const again = await post(url, body, headers)
    expect([again.status, again.headers['www-authenticate']]).toEqual([401, 'Signature error="request_signature_replayed"'])
    // Whether the task is there, what is called, and whose answer is kept: three questions.
    const message = skillMessage('get_task_status', { task_id: taskId }, { taskId })
    expect((await call('message/send', { message })).body.result.status.state).toBe('completed')
  })

  it('may say where callbacks go, with their credentials; without a signature it may not', async () => {
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(40) }
    const params = { taskId, pushNotificationConfig: { url: 'https://buyer.example/hook', authentication } }
    const set = await call('tasks/pushNotificationConfig/set', params)
    expect(set.body.result).toMatchObject({ taskId, pushNotificationConfig: { url: 'https://buyer.example/hook' } })
    expect(JSON.stringify(set.body)).not.toContain('xxxx')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/pushNotificationConfig/set', params })
    const unsigned = await post(url, body, ['Content-Type', 'application/json', 'Authorization', `Bearer ${credentials.key}`])
    expect(unsigned.status).toBe(401)
    expect(unsigned.headers['www-authenticate']).toBe('Signature error="request_signature_required"')
  })
})
