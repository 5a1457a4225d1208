import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { ASSISTANT_CALLS, RIGHT } from '../fixtures/assistant-calls.ts'
import { BUYERS_CALLS } from '../fixtures/assistant-calls-of-buying.ts'
import { DEVELOPER_CALLS } from '../fixtures/developer-calls.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let order: { readonly media_buy_id: string; readonly packages: readonly { readonly package_id: string }[] }
const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

beforeAll(async () => {
  agent = await startAgent({ demo: true, contracts: loadContracts(), clock: () => new Date('2027-05-01T00:00:00Z') })
  const accounts = [{ ...account, billing: 'operator' }]
  await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts })
  order = (await call('create_media_buy', {})).data
})
afterAll(() => agent.stop())

/** The right request of a task with a change, about the caller's own order. */
async function call(task: string, change: object) {
  const common = task.startsWith('get_') || task === 'sync_accounts' ? {} : { account, idempotency_key: randomUUID() }
  const text = JSON.stringify({ ...common, ...RIGHT[task], ...change })
  return agent.buyer.call(task, JSON.parse(named(text)))
}

function named(text: string): string {
  return text
    .replaceAll('AGENT', agent.url)
    .replaceAll('MEDIA_BUY', order?.media_buy_id ?? '')
    .replaceAll('PACKAGE', order?.packages[0]?.package_id ?? '')
}

/** What a host shows of an error: that of a task, of a row, or of the transport. */
function shown({ data, raw }: Awaited<ReturnType<typeof call>>): string {
  const { message = '', suggestion = '' } = data?.adcp_error ?? data?.creatives?.[0]?.errors?.[0] ?? raw.error ?? {}
  return `${message} ${suggestion}`
}

describe('a wrong call is told what to send', () => {
  it.each([...ASSISTANT_CALLS, ...BUYERS_CALLS, ...DEVELOPER_CALLS])('$task with $what', async ({ task, change, says }) => {
    const reply = await call(task, change)
    const text = shown(reply)
    for (const word of says) expect(text).toMatch(typeof word === 'string' ? escaped(named(word)) : word)
    expect(text).not.toMatch(/must NOT be valid|forms: ;|must match a schema/)
  })
})

function escaped(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
}
