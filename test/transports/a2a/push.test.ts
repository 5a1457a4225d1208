import { randomUUID } from 'node:crypto'
import { StreamResponse, TaskState } from 'a2a'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parseJson } from '../../../src/platform/decode/parse-json.ts'
import { readJwks } from '../../../src/security/signing/jwk.ts'
import { registeredKeys } from '../../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import { operatorRevocations } from '../../../src/security/signing/revocation.ts'
import { verifyWebhook } from '../../../src/security/signing/webhook-verify.ts'
import { approve, askBuyer, reject } from '../../../src/tasks/approvals/decide.ts'
import { a2aClient, skillMessage } from '../../support/a2a-client.ts'
import { agentClient } from '../../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { type Received, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

/** What a buyer that speaks A2A gets on the webhook that it registered in A2A's own way. */
let agent: MediaBuyAgent
let receiver: WebhookReceiver
let key: string

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })], {
    sandbox: true,
    webhooks: { limits: { pollMs: 20 } },
  })
  key = await agent.addBuyer({ principal: 'a2a-buyer', sandbox: true })
  const accounts = [{ ...ACCOUNT, billing: 'operator' }]
  await agent.client(key).call('sync_accounts', { idempotency_key: randomUUID(), accounts })
})
afterEach(() => agent.setClock('2026-03-01T12:00:00Z'))
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

const settled = async () => {
  agent.server.webhooks.dispatcher.wake()
  await agent.server.webhooks.dispatcher.idle()
}
const orderOf = (productId: string, budget = 500) => ({
  idempotency_key: randomUUID(),
  account: ACCOUNT,
  brand: ACCOUNT.brand,
  start_time: '2026-03-02T00:00:00Z',
  end_time: '2026-03-12T00:00:00Z',
  packages: [{ product_id: productId, pricing_option_id: 'cpm', budget }],
})
const TOKEN = 'validation-token-of-the-buyer'
const legacy = { url: '', token: TOKEN }
/** `message/send` of 0.3. */
const sendLegacy = async (path: string, order: object, message: object = {}) => {
  const params = {
    message: skillMessage('create_media_buy', order, message),
    configuration: { pushNotificationConfig: { ...legacy, url: receiver.origin + path } },
  }
  // biome-ignore lint/suspicious/noExplicitAny: judged by assertions
  return ((await (await a2aClient(agent.url, key).rpc('message/send', params)).json()) as any).result
}
/** `SendMessage` of 1.0. */
const sendCurrent = async (path: string, order: object) => {
  const params = {
    message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ data: { skill: 'create_media_buy', input: order } }] },
    configuration: { taskPushNotificationConfig: { ...legacy, url: receiver.origin + path } },
  }
  const reply = await a2aClient(agent.url, key).rpc('SendMessage', params, { 'A2A-Version': '1.0' })
  // biome-ignore lint/suspicious/noExplicitAny: judged by assertions
  return ((await reply.json()) as any).result.task
}
const services = () => ({ ...agent.server.services, store: agent.server.store })
const at = new Date('2026-03-01T12:00:00Z')

test('1.0: a call that was done at once is told as the task that it was answered with', async () => {
  const task = await sendCurrent('/current', orderOf('news'))
  const [webhook] = await receiver.expect('/current', 1)
  expect(webhook?.headers).toMatchObject({
    'content-type': 'application/a2a+json',
    'x-a2a-notification-token': TOKEN,
    signature: expect.any(String),
  })
  const { payload } = StreamResponse.fromJSON(webhook?.body)
  if (payload?.$case !== 'task') throw new Error(`a ${payload?.$case} came`)
  const { id, contextId, status, artifacts, metadata } = payload.value
  expect({ id, contextId }).toEqual({ id: task.id, contextId: task.contextId })
  expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(artifacts[0]?.parts[0]?.content).toMatchObject({ $case: 'data', value: { media_buy_id: expect.any(String) } })
  expect(metadata).toMatchObject({ idempotency_key: expect.stringMatching(/^whk_/), task_type: 'create_media_buy' })
  await expectGenuine(webhook)
})

test('0.3: work that waits is told under its own id when it has ended, well or not', async () => {
  const [good, bad] = [await sendLegacy('/good', orderOf('takeover')), await sendLegacy('/bad', orderOf('takeover'))]
  const [goodId, badId] = [good, bad].map((task) => task.artifacts[0].metadata.adcp_task_id)
  await approve(services(), agent.tenant, goodId, [], at)
  await reject(agent.server.store, agent.tenant, badId, 'no room', at)
  await settled()
  const [told] = receiver.at('/good')
  expect(told?.headers).toMatchObject({ 'content-type': 'application/json', 'x-a2a-notification-token': TOKEN })
  expect(told?.body).toMatchObject({
    kind: 'task',
    id: goodId,
    contextId: goodId,
    status: {
      state: 'completed',
      message: { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'Approved by the seller' }] },
    },
    artifacts: [{ name: 'result', parts: [{ kind: 'data', data: { media_buy_id: expect.any(String) } }] }],
  })
  // The same as asking for it gives, but for what is said.
  const asked = await a2aClient(agent.url, key).rpc('tasks/get', { id: goodId })
  // biome-ignore lint/suspicious/noExplicitAny: judged by assertions
  const { result } = (await asked.json()) as any
  expect(told?.body.artifacts[0].parts[0].data).toEqual(result.artifacts[0].parts[0].data)
  const [refused] = receiver.at('/bad')
  expect(refused?.body).toMatchObject({
    kind: 'task',
    status: { state: 'rejected' },
    artifacts: [
      { name: 'error', parts: [{ kind: 'data', data: { errors: [{ code: 'POLICY_VIOLATION', message: 'no room' }] } }] },
    ],
  })
  await expectGenuine(told)
})

test('0.3: a question is a status update, and a message to that task answers it', async () => {
  const task = await sendLegacy('/asked', orderOf('takeover'))
  const taskId = task.artifacts[0].metadata.adcp_task_id
  await askBuyer(agent.server.store, agent.tenant, taskId, 'Please halve the budget', at)
  await settled()
  const [told] = receiver.at('/asked')
  expect(told?.body).toMatchObject({
    kind: 'status-update',
    taskId,
    contextId: taskId,
    final: false,
    status: {
      state: 'input-required',
      message: { parts: [{ kind: 'text' }, { kind: 'data', data: { reason: 'APPROVAL_REQUIRED' } }] },
    },
  })
  const answer = await sendLegacy('/answered', orderOf('takeover', 250), { taskId })
  expect(answer.artifacts[0].parts[0].data).toMatchObject({ status: 'submitted', task_id: taskId })
  await approve(services(), agent.tenant, taskId, [], at)
  await settled()
  const last = receiver.at('/asked').at(-1)
  expect(last?.body.artifacts[0].parts[0].data.packages).toMatchObject([{ budget: 250 }])
})

test('a webhook in the parameters of the task is one of AdCP, over A2A too', async () => {
  const push = { push_notification_config: { url: `${receiver.origin}/adcp`, token: TOKEN } }
  const { data } = await a2aClient(agent.url, key).call('create_media_buy', { ...orderOf('news'), ...push })
  const [webhook] = await receiver.expect('/adcp', 1)
  expect(webhook?.body).toMatchObject({
    task_type: 'create_media_buy',
    token: TOKEN,
    result: { media_buy_id: data.media_buy_id },
  })
})

test('one that is registered for a task over A2A is native, whoever submitted the task', async () => {
  const { data } = await agent.create(
    { packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }] },
    agentClient(agent.url, key),
  )
  const params = { taskId: data.task_id, pushNotificationConfig: { url: `${receiver.origin}/later` } }
  const added = await a2aClient(agent.url, key).rpc('tasks/pushNotificationConfig/set', params)
  expect(await added.json()).toMatchObject({ result: { taskId: data.task_id } })
  await approve(services(), agent.tenant, data.task_id, [], at)
  await settled()
  expect(receiver.at('/later').map(({ body }) => [body.kind, body.id])).toEqual([['task', data.task_id]])
})

async function expectGenuine(webhook: Received | undefined): Promise<void> {
  const jwks = await (await fetch(new URL('/.well-known/jwks.json', agent.url))).json()
  const options = {
    keys: registeredKeys('https://seller.example/mcp', readJwks(jwks) ?? []),
    replay: memoryReplayStore(),
    revocations: operatorRevocations(() => false),
    hasDuplicateKey: (body: Uint8Array) => parseJson(body) === undefined,
  }
  if (!webhook) throw new Error('no webhook came')
  const { url, rawHeaders, bytes, headers } = webhook
  const created = Number(/created=(\d+)/.exec(String(headers['signature-input']))?.[1])
  await verifyWebhook({ method: 'POST', url, rawHeaders, body: bytes }, created, options)
}
