import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/compose/server.ts'
import { createLog } from '../../../src/platform/log.ts'
import { a2aClient, dataOf, skillMessage } from '../../support/a2a-client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
/** Another server on the same store, as another process is. */
let other: RunningServer
let now = new Date('2026-03-01T12:00:00Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })], {
    clock: () => now,
  })
  other = await startServer({ ...agent.config, port: 0 }, { log: createLog('silent'), clock: () => now })
})
afterAll(async () => {
  await other?.close()
  await agent?.stop()
})

const here = () => a2aClient(agent.url, agent.key)
const there = (key = agent.key) => a2aClient(`http://127.0.0.1:${other.port}/mcp`, key)
const order = (product: string) => ({
  idempotency_key: randomUUID(),
  account: ACCOUNT,
  brand: ACCOUNT.brand,
  start_time: '2026-03-02T00:00:00Z',
  end_time: '2026-03-12T00:00:00Z',
  packages: [{ product_id: product, pricing_option_id: 'cpm', budget: 500 }],
})
// biome-ignore lint/suspicious/noExplicitAny: the JSON-RPC reply, judged by assertions
const get = async (client: ReturnType<typeof here>, id: string, headers = {}): Promise<any> =>
  (await client.rpc('tasks/get', { id }, headers)).json()

describe('tasks/get at another process', () => {
  it.each(['news', 'takeover'])('gives a call that bought %s as it was answered, in both revisions', async (product) => {
    const { task } = await here().call('create_media_buy', order(product))
    expect(task.id).toMatch(/^a2a_/)
    expect(dataOf(task).status).toBe(product === 'news' ? 'pending_creatives' : 'submitted')
    expect((await get(there(), task.id)).result).toEqual(task)
    const current = {
      role: 'ROLE_USER',
      messageId: randomUUID(),
      parts: skillMessage('create_media_buy', order(product)).parts.map(({ data }) => ({ data })),
    }
    const headers = { 'A2A-Version': '1.0' }
    // biome-ignore lint/suspicious/noExplicitAny: the JSON-RPC reply, judged by assertions
    const sent: any = await (await here().rpc('SendMessage', { message: current }, headers)).json()
    const answered = sent.result.task
    expect(answered.id, JSON.stringify(sent)).toMatch(/^a2a_/)
    const found = await (await there().rpc('GetTask', { id: answered.id }, headers)).json()
    expect(found).toMatchObject({ result: answered })
  })

  it('gives it to nobody else, for five minutes, and refuses to go on with it', async () => {
    const { task } = await here().call('create_media_buy', order('news'))
    const stranger = there(await agent.addBuyer({ principal: 'stranger' }))
    expect(await get(stranger, task.id)).toMatchObject({ error: { code: -32001 } })
    const more = { message: skillMessage('list_accounts', {}, { taskId: task.id }) }
    expect(await (await there().rpc('message/send', more)).json()).toMatchObject({ error: { code: -32004 } })
    now = new Date(now.getTime() + 5 * 60_000)
    expect(await get(there(), task.id)).toMatchObject({ error: { code: -32001 } })
  })

  it('gives a failed change too; what only read is asked anew', async () => {
    const { task: failed } = await here().call('update_media_buy', { ...order('news'), media_buy_id: 'absent' })
    expect((await get(there(), failed.id)).result).toEqual(failed)
    const { task: read } = await here().call('list_accounts')
    expect((await get(here(), read.id)).result).toEqual(read)
    expect(await get(there(), read.id)).toMatchObject({ error: { code: -32001 } })
  })
})
