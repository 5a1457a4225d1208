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

async function addTask(taskId: string, taskType: string) {
  const task = {
    taskId,
    accountId: '',
    taskType,
    protocol: 'media-buy',
    message: 'A person looks at it',
    request: {},
    hasWebhook: false,
  }
  const now = new Date('2026-01-01T00:00:00Z')
  await agent.server.store.transaction((tx) => insertTask(tx, owner, { ...task, status: 'submitted' }, now))
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}

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

  it('reads as text with all that the data has: packages, terms, and what cancelling costs', async () => {
    const terms = { package_id: 'mb-2-1', free_until: '2026-03-01T00:00:00.000Z', cancellation_cost_at_most: 0, currency: 'EUR' }
    const packages = Array.from({ length: 12 }, (_, index) => ({
      package_id: `mb-2-${index + 1}`,
      product_id: `product_${index}`,
      targeting_overlay: { daypart_targets: [{ days: ['saturday'], start_hour: 8, end_hour: 20 }] },
    }))
    const result = {
      media_buy_id: 'mb-2',
      account: { account_id: 'acc_80189931-fae7-4089-81c1-2fd27823f706', name: 'Acme', brand: { domain: 'acme.example' } },
      packages,
      ext: { terms: [{ ...terms, cancellation_cost_at_most_later: 125 }] },
    }
    await addTask('task-3', 'create_media_buy')
    const args = { task_id: 'task-3', include_result: true, ext: { answer_text: 'summary' } }
    const ask = async (): Promise<string> => (await agent.buyer.call('get_task_status', args)).raw.result.content[0].text
    expect(await ask()).toMatch(/^task_id: task-3\ntask_type: create_media_buy\n[\s\S]*\nmessage: A person looks at it\n/)
    await agent.server.store.transaction(async (tx) =>
      advanceTask(
        tx,
        owner,
        await getTask(tx, owner, 'task-3'),
        { status: 'completed', result },
        new Date('2026-01-02T00:00:00Z'),
      ),
    )
    const text = await ask()
    for (const value of leavesOf(result)) expect(text).toContain(String(value))
    expect(text).toContain('Cancelling costs at most 0 EUR until 2026-03-01T00:00:00.000Z, then at most 125 EUR.')
  })

  it('says of an operation that its release has no name for in which one it can be read', async () => {
    await addTask('task-4', 'control_media_buy')
    const { data } = await agent.buyer.call('get_task_status', { task_id: 'task-4' })
    expect(data.adcp_error).toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
      message: expect.stringMatching(/^a task of control_media_buy has no name in AdCP 3\.0(: name adcp_version "3\.2")?$/),
    })
    const { data: listed, isError } = await agent.buyer.call('list_tasks', {})
    expect(isError).toBe(false)
    expect(listed.tasks.map(({ task_id }: { task_id: string }) => task_id)).not.toContain('task-4')
  })

  it('another agent’s task is exactly like an absent one', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const theirs = await stranger.call('tasks/get', { task_id: 'task-1' })
    const absent = await stranger.call('tasks/get', { task_id: 'task-2' })
    expect(theirs.data).toEqual(absent.data)
    expect(theirs.data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  })
})
