import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineTask } from '../../src/pipeline/task.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { callText, post } from '../support/credentials.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const READS = 7
let agent: TestAgent
let handled = 0

/** A task of the manifest whose work is as many steps as its request has characters, a thousandfold. */
const heavy = defineTask<{ readonly filters?: { readonly name_contains?: string } }>()({
  name: 'list_creatives',
  access: 'authenticated',
  scope: 'creatives',
  summary: 'Work by its length.',
  async work({ filters }) {
    const length = filters?.name_contains?.length
    if (length === undefined) return undefined
    return {
      steps: length * 1_000,
      product: `${length} letters × 1000`,
      field: 'filters.name_contains',
      suggestion: 'send fewer letters',
    }
  },
  async handle() {
    handled += 1
    return { query_summary: { total_matching: 0, returned: 0 }, pagination: { has_more: false }, creatives: [] }
  },
})

beforeAll(async () => {
  agent = await startAgent({
    tasks: [...TASKS.filter(({ name }) => name !== heavy.name), heavy],
    flags: {
      mode: 'production',
      trustedProxies: ['127.0.0.1'],
      'limits.reads': READS,
      'limits.windowSeconds': 600,
      'metrics.port': 0,
    },
  })
})
afterAll(() => agent.stop())

const call = (key: string, letters?: number) =>
  post(agent.url, callText('list_creatives', letters === undefined ? {} : { filters: { name_contains: 'x'.repeat(letters) } }), [
    'content-type',
    'application/json',
    'x-forwarded-proto',
    'https',
    'x-forwarded-for',
    '198.51.100.1',
    'authorization',
    `Bearer ${key}`,
  ])

describe('work that is a product of inputs', () => {
  it('beyond the bound is refused with the factors, the field and what to send, and nothing is done', async () => {
    const key = await agent.addBuyer({ principal: 'eager' })
    const answer = await call(key, 500)
    expect(answer.status).toBe(200)
    expect(answer.body.result.structuredContent.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'filters.name_contains',
      message: 'filters.name_contains: 500 letters × 1000 make 2.5 times the work that one call may ask for',
      suggestion: 'send fewer letters',
    })
    const justBeyond = await call(key, 201)
    expect(justBeyond.body.result.structuredContent.adcp_error.message).toContain('make 1.1 times the work')
    expect(handled).toBe(0)
    await call(key, 9)
    expect(handled).toBe(1)
  })

  it('that is refused is counted by task, and so is JSON beyond a bound', async () => {
    const numbers = async () => (await fetch(`http://127.0.0.1:${agent.server.metricsPort}/metrics`)).text()
    const count = (text: string, sample: string) => Number(text.split(`${sample} `)[1]?.split('\n')[0] ?? 0)
    const json = (fault: string) => `adcp_decode_refusals_total{decoder="json",limit="${fault}"}`
    const before = await numbers()
    expect(count(before, 'adcp_refusals_total{what="work",limit="list_creatives"}')).toBe(2)
    const bodies = {
      depth: '['.repeat(100),
      nodes: `[${'1,'.repeat(200_000)}1]`,
      name: `{"${'x'.repeat(600)}":1}`,
      'duplicate-key': '{"a":1,"a":1}',
    }
    const headers = ['content-type', 'application/json', 'x-forwarded-proto', 'https', 'x-forwarded-for', '198.51.100.1']
    for (const body of Object.values(bodies)) expect((await post(agent.url, body, headers)).status).toBe(400)
    const after = await numbers()
    for (const fault of Object.keys(bodies))
      expect([fault, count(after, json(fault)) - count(before, json(fault))]).toEqual([fault, 1])
  })

  it('uses up the window of its caller as so many calls', async () => {
    const key = await agent.addBuyer({ principal: 'heavy' })
    const light = await agent.addBuyer({ principal: 'light' })
    // Itself, and 50,000 steps as five calls more.
    expect((await call(key, 50)).status).toBe(200)
    expect((await call(key)).status).toBe(200)
    expect((await call(key)).status).toBe(429)
    for (let calls = 0; calls < READS; calls += 1) expect((await call(light, 9)).status).toBe(200)
    expect((await call(light)).status).toBe(429)
  })

  it('is declared by the tasks that multiply', () => {
    expect(
      TASKS.filter(({ work }) => work)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['build_creative', 'calibrate_content', 'log_event', 'preview_creative', 'validate_content_delivery'])
  })
})
