import type { Task as LegacyTask } from '@a2a-js/sdk'
import { A2AClient } from '@a2a-js/sdk/client'
import { type Message, Role, type SendMessageRequest, type StreamResponse, type Task, TaskState } from 'a2a'
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from 'a2a/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approve as approveTask } from '../../../src/tasks/approvals/decide.ts'
import { skillMessage } from '../../support/a2a-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let origin: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })])
  origin = new URL(agent.url).origin
})
afterAll(() => agent.stop())

const withKey =
  (key: string): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${key}` } })

async function submit(): Promise<string> {
  const { data } = await agent.create({
    packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }],
  })
  expect(data.status, JSON.stringify(data)).toBe('submitted')
  return data.task_id
}

async function approve(taskId: string): Promise<void> {
  const { store, services } = agent.server
  await approveTask({ ...services, store }, agent.tenant, taskId, [], agent.server.clock())
}

describe('the client of A2A 0.3', () => {
  const open = (key = agent.key) => A2AClient.fromCardUrl(`${origin}/.well-known/agent-card.json`, { fetchImpl: withKey(key) })
  // biome-ignore lint/suspicious/noExplicitAny: replies of several shapes, judged by assertions
  const resultOf = (reply: any) => {
    expect(reply.error).toBeUndefined()
    return reply.result
  }
  const data = (task: LegacyTask) => {
    const part = task.artifacts?.[0]?.parts.findLast(({ kind }) => kind === 'data')
    return part?.kind === 'data' ? part.data : undefined
  }

  test('calls a task: the artifact holds what MCP gives', async () => {
    const client = await open()
    const request = { context: { trace: 1 } }
    const task = resultOf(await client.sendMessage({ message: skillMessage('list_accounts', request, { contextId: 'talk-1' }) }))
    expect(task).toMatchObject({ kind: 'task', contextId: 'talk-1', status: { state: 'completed' } })
    const { data: overMcp } = await agent.buyer.call('list_accounts', request)
    expect(data(task)).toEqual(overMcp)
    expect(task.artifacts).toHaveLength(1)
    expect(resultOf(await client.getTask({ id: task.id }))).toEqual(task)
  })

  test('reads the error of a call: the task is over, its data says failed', async () => {
    const client = await open()
    const request = { media_buy_id: 'nothing', context: { trace: 2 } }
    const task = resultOf(await client.sendMessage({ message: skillMessage('update_media_buy', request) }))
    expect(task.status.state).toBe('completed')
    const { data: overMcp } = await agent.buyer.call('update_media_buy', request)
    expect(data(task)).toEqual(overMcp)
    expect(data(task)).toMatchObject({
      status: 'failed',
      adcp_error: { code: 'INVALID_REQUEST' },
      errors: [{ code: 'INVALID_REQUEST' }],
      error: { code: 'INVALID_REQUEST' },
      context: { trace: 2 },
    })
  })

  test('streams: it runs, it gave this, it is done', async () => {
    const client = await open()
    const events = []
    for await (const event of client.sendMessageStream({ message: skillMessage('list_accounts', {}) })) events.push(event)
    expect(events).toMatchObject([
      { kind: 'task', status: { state: 'working' } },
      { kind: 'artifact-update', lastChunk: true },
      { kind: 'status-update', final: true, status: { state: 'completed' } },
    ])
  })

  test('another agent’s call and an absent one are the same nothing', async () => {
    const client = await open()
    const task = resultOf(await client.sendMessage({ message: skillMessage('list_accounts', {}) }))
    const stranger = await open(await agent.addBuyer({ principal: 'stranger' }))
    const theirs = await stranger.getTask({ id: task.id })
    expect(theirs).toMatchObject({ error: { code: -32001 } })
    expect(theirs).toMatchObject(await stranger.getTask({ id: 'a2a_nothing' }).then(({ id: _id, ...rest }) => rest))
  })

  test('a call that answered is over: neither canceled nor gone on with', async () => {
    const client = await open()
    const task = resultOf(await client.sendMessage({ message: skillMessage('list_accounts', {}) }))
    expect(await client.cancelTask({ id: task.id })).toMatchObject({ error: { code: -32002 } })
    const more = { message: skillMessage('list_accounts', {}, { taskId: task.id }) }
    expect(await client.sendMessage(more)).toMatchObject({ error: { code: -32004 } })
    const unknown = { message: skillMessage('list_accounts', {}, { taskId: 'a2a_nothing' }) }
    expect(await client.sendMessage(unknown)).toMatchObject({ error: { code: -32001 } })
  })

  test('submitted work has its own id, which A2A knows too, while it waits and when it is done', async () => {
    const client = await open()
    const order = {
      idempotency_key: 'a2a-submitted-order',
      account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
      brand: { domain: 'brand.example' },
      start_time: '2026-03-02T00:00:00Z',
      end_time: '2026-03-12T00:00:00Z',
      packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }],
    }
    const call = resultOf(await client.sendMessage({ message: skillMessage('create_media_buy', order) }))
    expect(call.status.state).toBe('completed')
    expect(call.artifacts[0].parts).toMatchObject([
      { kind: 'data', data: { status: 'submitted' } },
      { kind: 'text', text: expect.stringContaining(call.artifacts[0].metadata.adcp_task_id) },
    ])
    const taskId = call.artifacts[0].metadata.adcp_task_id
    expect(data(call)).toMatchObject({ status: 'submitted', task_id: taskId })
    expect(call.id).not.toBe(taskId)

    expect(resultOf(await client.getTask({ id: taskId }))).toMatchObject({ id: taskId, status: { state: 'submitted' } })
    // Official clients go on under the id of the work that waits; that is a call like any other.
    const next = await client.sendMessage({ message: skillMessage('get_task_status', { task_id: taskId }, { taskId }) })
    expect(data(resultOf(next))).toMatchObject({ status: 'submitted', task_id: taskId })
    await approve(taskId)
    const done = resultOf(await client.getTask({ id: taskId }))
    expect(done.status.state).toBe('completed')
    expect(data(done)).toMatchObject({ media_buy_id: expect.any(String) })
    // The official client of AdCP sends the id along with the call after, before it can know that the work is done.
    const after = await client.sendMessage({ message: skillMessage('get_task_status', { task_id: taskId }, { taskId }) })
    expect(data(resultOf(after))).toMatchObject({ status: 'completed', task_id: taskId })
  })

  test('takes back an order that waits, once; a stranger cannot', async () => {
    const client = await open()
    const taskId = await submit()
    const stranger = await open(await agent.addBuyer({ principal: 'thief' }))
    expect(await stranger.cancelTask({ id: taskId })).toMatchObject({ error: { code: -32001 } })
    expect(resultOf(await client.cancelTask({ id: taskId }))).toMatchObject({ id: taskId, status: { state: 'canceled' } })
    expect(await client.cancelTask({ id: taskId })).toMatchObject({ error: { code: -32002 } })
    await expect(approve(taskId)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    expect((await agent.buyer.call('tasks/get', { task_id: taskId })).data.status).toBe('canceled')
  })

  test('subscribes to work that waits and sees its end', async () => {
    const client = await open()
    const taskId = await submit()
    const events = []
    for await (const event of client.resubscribeTask({ id: taskId })) {
      events.push(event)
      if (events.length === 1) await approve(taskId)
    }
    expect(events).toMatchObject([
      { kind: 'task', id: taskId, status: { state: 'submitted' } },
      { kind: 'artifact-update', artifact: { parts: [{ data: { media_buy_id: expect.any(String) } }] } },
      { kind: 'status-update', status: { state: 'completed' }, final: true },
    ])
  })

  test('registers, reads and removes a webhook of work that waits; secrets are never read back', async () => {
    const client = await open()
    const taskId = await submit()
    const url = 'https://buyer.example/hook'
    const token = 'only-the-buyer-knows-this'
    const set = resultOf(await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: { url, token } }))
    expect(set).toMatchObject({ taskId, pushNotificationConfig: { url, id: expect.stringMatching(/^whe_/) } })
    expect(JSON.stringify(set)).not.toContain(token)
    const { id } = set.pushNotificationConfig
    const one = { id: taskId, pushNotificationConfigId: id }
    expect(resultOf(await client.getTaskPushNotificationConfig(one))).toEqual(set)
    expect(resultOf(await client.listTaskPushNotificationConfig({ id: taskId }))).toEqual([set])
    const stranger = await open(await agent.addBuyer({ principal: 'eavesdropper' }))
    expect(await stranger.listTaskPushNotificationConfig({ id: taskId })).toMatchObject({ error: { code: -32001 } })
    await client.deleteTaskPushNotificationConfig({ id: taskId, pushNotificationConfigId: id })
    expect(resultOf(await client.listTaskPushNotificationConfig({ id: taskId }))).toEqual([])
  })

  test('a webhook has to be a public address', async () => {
    const client = await open()
    const taskId = await submit()
    for (const url of ['http://127.0.0.1/hook', 'https://10.0.0.1/hook', 'file:///etc/passwd', '']) {
      const reply = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: { url } })
      expect(reply).toMatchObject({ error: { code: -32602 } })
    }
  })

  test('a webhook’s own credentials take a signature', async () => {
    const client = await open()
    const taskId = await submit()
    const authentication = { schemes: ['Bearer'], credentials: 'x'.repeat(40) }
    const config = { url: 'https://buyer.example/hook', authentication }
    const set = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: config })
    expect(set).toMatchObject({ error: { code: -32028 } })
    const message = skillMessage('create_media_buy', {})
    const sent = await client.sendMessage({ message, configuration: { pushNotificationConfig: config } })
    expect(sent).toMatchObject({ error: { code: -32028, data: { adcp_error: { code: 'AUTH_REQUIRED' } } } })
  })

  test('credentials that do not count are HTTP 401', async () => {
    const client = await open('sk_000000000000_wrong')
    const reply = await client.sendMessage({ message: skillMessage('get_adcp_capabilities', {}) })
    expect(reply).toMatchObject({ error: { code: -32028, data: { adcp_error: { code: 'AUTH_INVALID' } } } })
  })

  test('reads the extended card', async () => {
    const reply = await fetch(`${origin}/a2a`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${agent.key}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent/getAuthenticatedExtendedCard' }),
    })
    expect(await reply.json()).toMatchObject({
      result: { url: `${origin}/a2a`, securitySchemes: { bearerAuth: { type: 'http' } } },
    })
  })
})

describe('the client of A2A 1.0', () => {
  let client: Client
  beforeAll(async () => {
    const fetchImpl = withKey(agent.key)
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    })
    client = await factory.createFromUrl(origin)
    expect(client.protocolVersion).toBe('1.0')
  })

  const call = (skill: string, input: object, more: Partial<Message> = {}): SendMessageRequest => ({
    tenant: '',
    message: {
      messageId: 'm-1',
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'data', value: { skill, input } }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    configuration: undefined,
    metadata: undefined,
  })
  const taskOf = (result: Message | Task): Task => {
    if (!('id' in result)) throw new Error('a message came instead of a task')
    return result
  }
  const data = (task: Task) => {
    const content = task.artifacts[0]?.parts.findLast((part) => part.content?.$case === 'data')?.content
    return content?.$case === 'data' ? content.value : undefined
  }

  test('calls a task and asks for it again', async () => {
    const task = taskOf(await client.sendMessage(call('list_accounts', { context: { trace: 1 } })))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(data(task)).toEqual((await agent.buyer.call('list_accounts', { context: { trace: 1 } })).data)
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task)
  })

  test('reads the error of a failed task', async () => {
    const task = taskOf(await client.sendMessage(call('create_media_buy', {})))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(data(task)).toEqual((await agent.buyer.call('create_media_buy', {})).data)
  })

  test('streams', async () => {
    const events: StreamResponse[] = []
    for await (const event of client.sendMessageStream(call('list_accounts', {}))) events.push(event)
    expect(events.map(({ payload }) => payload?.$case)).toEqual(['task', 'artifactUpdate', 'statusUpdate'])
  })

  test('lists its stored tasks, newest change first, page by page', async () => {
    const ids = [await submit(), await submit(), await submit()]
    const request = {
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_SUBMITTED,
      pageToken: '',
      statusTimestampAfter: undefined,
    }
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await client.listTasks({ ...request, pageSize: 2, pageToken })
      expect(page.tasks.every(({ artifacts }) => artifacts.length === 0)).toBe(true)
      seen.push(...page.tasks.map(({ id }) => id))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    expect(seen).toEqual(expect.arrayContaining(ids))
    expect(new Set(seen).size).toBe(seen.length)
    const [first = ''] = ids
    await approve(first)
    const [done] = (await client.listTasks({ ...request, status: 0, contextId: first, includeArtifacts: true })).tasks
    expect(done && data(done)).toMatchObject({ media_buy_id: expect.any(String) })
  })

  test('a message goes on with work that waits, and not with work that is finished', async () => {
    const taskId = await submit()
    const status = () => client.sendMessage(call('get_task_status', { task_id: taskId }, { taskId }))
    expect(data(taskOf(await status()))).toMatchObject({ status: 'submitted', task_id: taskId })
    await approve(taskId)
    await expect(status()).rejects.toThrow(/over/)
    expect(data(taskOf(await client.sendMessage(call('get_task_status', { task_id: taskId }))))).toMatchObject({
      status: 'completed',
    })
  })

  test('cancels, watches and registers webhooks like the older client', async () => {
    const taskId = await submit()
    const config = { tenant: '', id: '', taskId, url: 'https://buyer.example/hook', token: '', authentication: undefined }
    const created = await client.createTaskPushNotificationConfig(config)
    expect(created).toMatchObject({ taskId, url: config.url, id: expect.stringMatching(/^whe_/) })
    expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: created.id })).toEqual(created)
    const all = await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })
    expect(all.configs).toEqual([created])
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: created.id })
    const events: StreamResponse[] = []
    for await (const event of client.resubscribeTask({ tenant: '', id: taskId })) {
      events.push(event)
      if (events.length === 1) await client.cancelTask({ tenant: '', id: taskId, metadata: undefined })
    }
    expect(events.map(({ payload }) => payload?.$case)).toEqual(['task', 'statusUpdate'])
    const again = client.resubscribeTask({ tenant: '', id: taskId })
    await expect(again.next()).rejects.toThrow(/over/)
  })

  test('reads the card of who is known', async () => {
    const card = await client.getAgentCard()
    expect(card.skills.map(({ id }) => id)).toContain('create_media_buy')
  })
})
