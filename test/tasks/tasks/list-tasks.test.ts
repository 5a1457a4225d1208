import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { advanceTask, getTask, insertTask } from '../../../src/store/task/tasks.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const hour = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 3_600_000)
const iso = (n: number) => hour(n).toISOString()

/** Id, operation, protocol, whether it has a webhook; created in this order, an hour apart. */
const TASKS = [
  ['task-a', 'create_media_buy', 'media-buy', true],
  ['task-b', 'sync_creatives', 'creative', false],
  ['task-c', 'create_media_buy', 'media-buy', false],
  ['task-d', 'activate_signal', 'signals', false],
  ['task-e', 'update_media_buy', 'media-buy', true],
] as const

let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent()
  await agent.addBuyer({ principal: 'other' })
  await agent.server.store.transaction(async (tx) => {
    for (const [index, [taskId, taskType, protocol, hasWebhook]] of TASKS.entries()) {
      const request = { note: `about ${taskId}`, name: 'Brötchen "frisch"' }
      await insertTask(
        tx,
        owner,
        { taskId, accountId: '', taskType, protocol, status: 'submitted', request, hasWebhook },
        hour(index),
      )
    }
    const done = { status: 'completed', result: { media_buy_id: 'mb_42' } } as const
    await advanceTask(tx, owner, await getTask(tx, owner, 'task-c'), done, hour(10))
    await advanceTask(tx, owner, await getTask(tx, owner, 'task-b'), { status: 'rejected', message: 'no' }, hour(11))
    const foreign = { ...owner, principalId: 'other' }
    await insertTask(
      tx,
      foreign,
      {
        taskId: 'task-x',
        accountId: '',
        taskType: 'create_media_buy',
        protocol: 'media-buy',
        status: 'submitted',
        request: { note: 'about task-a' },
        hasWebhook: true,
      },
      hour(3),
    )
  })
})
afterAll(() => agent.stop())

async function ids(args: object): Promise<string[]> {
  const { data, isError } = await agent.buyer.call('list_tasks', args)
  expect(isError, JSON.stringify(data)).toBe(false)
  return data.tasks.map(({ task_id }: { task_id: string }) => task_id)
}

describe('list_tasks', () => {
  it.each(['list_tasks', 'tasks/list', 'tasks_list'])('answers as %s: newest first, the own ones only', async (name) => {
    const { data } = await agent.buyer.call(name, {})
    expect(data.tasks.map(({ task_id }: { task_id: string }) => task_id)).toEqual([
      'task-e',
      'task-d',
      'task-c',
      'task-b',
      'task-a',
    ])
    expect(data.query_summary).toEqual({
      total_matching: 5,
      returned: 5,
      domain_breakdown: { 'media-buy': 3, creative: 1, signals: 1 },
      status_breakdown: { submitted: 3, completed: 1, rejected: 1 },
      filters_applied: [],
      sort_applied: { field: 'created_at', direction: 'desc' },
    })
    expect(data.pagination).toEqual({ has_more: false, total_count: 5 })
  })

  it('says of each what get_task_status says, without result and history', async () => {
    const { data } = await agent.buyer.call('list_tasks', { filters: { task_ids: ['task-c'] } })
    expect(data.tasks).toEqual([
      {
        task_id: 'task-c',
        task_type: 'create_media_buy',
        protocol: 'media-buy',
        domain: 'media-buy',
        status: 'completed',
        created_at: iso(2),
        updated_at: iso(10),
        completed_at: iso(10),
        has_webhook: false,
      },
    ])
  })

  it('adds the history when asked', async () => {
    const { data } = await agent.buyer.call('list_tasks', { filters: { task_ids: ['task-c'] }, include_history: true })
    expect(data.tasks[0].history.map((entry: { type: string }) => entry.type)).toEqual(['request', 'response', 'response'])
  })

  it.each<[object, string[]]>([
    [{ status: 'submitted' }, ['task-e', 'task-d', 'task-a']],
    [{ statuses: ['completed', 'rejected'] }, ['task-c', 'task-b']],
    [{ status: 'completed', statuses: ['rejected'] }, []],
    [{ protocol: 'media-buy' }, ['task-e', 'task-c', 'task-a']],
    [{ protocols: ['signals', 'creative'] }, ['task-d', 'task-b']],
    [{ task_type: 'create_media_buy' }, ['task-c', 'task-a']],
    [{ task_types: ['sync_creatives', 'activate_signal'] }, ['task-d', 'task-b']],
    [{ task_type: 'create_media_buy', task_types: ['sync_creatives'] }, []],
    [{ task_ids: ['task-a', 'task-x', 'nothing'] }, ['task-a']],
    [{ created_after: iso(1), created_before: iso(3) }, ['task-c']],
    [{ updated_after: '2026-01-01T11:30:00+01:00' }, ['task-b']],
    [{ updated_before: iso(1) }, ['task-a']],
    [{ has_webhook: true }, ['task-e', 'task-a']],
    [{ has_webhook: false }, ['task-d', 'task-c', 'task-b']],
    [{ context_contains: 'task-d' }, ['task-d']],
    [{ context_contains: 'TASK-D' }, []],
    [{ context_contains: 'mb_42' }, ['task-c']],
    [{ context_contains: 'Brötchen "frisch"', statuses: ['completed'] }, ['task-c']],
    [{ context_contains: '%' }, []],
    [{ context_contains: '' }, ['task-e', 'task-d', 'task-c', 'task-b', 'task-a']],
  ])('filters by %j', async (filters, expected) => {
    expect(await ids({ filters })).toEqual(expected)
  })

  it.each<[object, string[]]>([
    [{ direction: 'asc' }, ['task-a', 'task-b', 'task-c', 'task-d', 'task-e']],
    [{ field: 'updated_at' }, ['task-b', 'task-c', 'task-e', 'task-d', 'task-a']],
    [{ field: 'status', direction: 'asc' }, ['task-c', 'task-b', 'task-a', 'task-d', 'task-e']],
    [{ field: 'task_type', direction: 'asc' }, ['task-d', 'task-a', 'task-c', 'task-b', 'task-e']],
    [{ field: 'protocol', direction: 'desc' }, ['task-d', 'task-e', 'task-c', 'task-a', 'task-b']],
  ])('sorts by %j', async (sort, expected) => {
    expect(await ids({ sort })).toEqual(expected)
  })

  it.each(['created_at', 'updated_at', 'status', 'task_type', 'protocol'])(
    'pages by %s without gaps or repetitions',
    async (field) => {
      const sort = { field, direction: 'asc' }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { data } = await agent.buyer.call('list_tasks', {
          sort,
          pagination: { max_results: 2, ...(cursor !== undefined && { cursor }) },
        })
        expect(data.pagination.total_count).toBe(5)
        seen.push(...data.tasks.map(({ task_id }: { task_id: string }) => task_id))
        cursor = data.pagination.cursor
      } while (cursor !== undefined)
      expect(seen).toEqual(await ids({ sort }))
    },
  )

  it('refuses the cursor of another query and a made-up one', async () => {
    const { data } = await agent.buyer.call('list_tasks', { pagination: { max_results: 1 } })
    const { cursor } = data.pagination
    for (const args of [{ filters: { status: 'submitted' }, pagination: { cursor } }, { pagination: { cursor: 'bWFkZS11cA' } }]) {
      const reply = await agent.buyer.call('list_tasks', args)
      expect(reply.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
    }
  })

  it('needs credentials and the scope', async () => {
    expect((await agent.client().call('list_tasks')).status).toBe(401)
    const narrow = agent.client(await agent.addBuyer({ principal: 'narrow', scopes: ['adcp:products'] }))
    expect((await narrow.call('list_tasks')).data.adcp_error.code).toBe('INSUFFICIENT_PERMISSIONS')
  })
})
