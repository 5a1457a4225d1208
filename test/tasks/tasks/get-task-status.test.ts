import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { advanceTask, getTask, insertTask } from '../../../src/store/task/tasks.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
const owner = { tenantId: 'acme', principalId: 'buyer' }

beforeAll(async () => {
  agent = await startAgent()
  const now = new Date('2026-01-01T00:00:00Z')
  const task = {
    taskId: 'task-1',
    accountId: '',
    taskType: 'create_media_buy',
    protocol: 'media-buy',
    status: 'submitted',
    request: { a: 1 },
    hasWebhook: false,
  } as const
  await agent.server.store.transaction((tx) => insertTask(tx, owner, task, now))
})
afterAll(() => agent.stop())

describe('get_task_status', () => {
  it.each(['get_task_status', 'tasks/get', 'tasks_get'])('answers as %s', async (name) => {
    const { data } = await agent.buyer.call(name, { task_id: 'task-1' })
    expect(data).toMatchObject({
      task_id: 'task-1',
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      status: 'submitted',
      has_webhook: false,
    })
    expect(data).not.toHaveProperty('result')
  })

  it('gives the result and the history once completed', async () => {
    await agent.server.store.transaction(async (tx) =>
      advanceTask(
        tx,
        owner,
        await getTask(tx, owner, 'task-1'),
        { status: 'completed', result: { media_buy_id: 'mb-1' } },
        new Date('2026-01-02T00:00:00Z'),
      ),
    )
    const { data } = await agent.buyer.call('tasks/get', { task_id: 'task-1', include_history: true, include_result: true })
    expect(data).toMatchObject({
      status: 'completed',
      result: { media_buy_id: 'mb-1' },
      completed_at: '2026-01-02T00:00:00.000Z',
    })
    expect(data.history.map((entry: { type: string }) => entry.type)).toEqual(['request', 'response', 'response'])
  })

  it('another agent’s task is exactly like an absent one', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const theirs = await stranger.call('tasks/get', { task_id: 'task-1' })
    const absent = await stranger.call('tasks/get', { task_id: 'task-2' })
    expect(theirs.data).toEqual(absent.data)
    expect(theirs.data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  })
})
