import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectStore } from '../../src/store/inspect.ts'
import { inspectAnswers } from '../../src/store/inspect-answers.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

let agent: TestAgent
let mediaBuyId: string
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  const { data } = await agent.buyer.call('create_media_buy', {
    idempotency_key: randomUUID(),
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  })
  mediaBuyId = data.media_buy_id
})
afterAll(() => agent.stop())

describe('the rules of the store', () => {
  it('hold for what the agent writes', async () => {
    const { rules, problems } = await inspectStore(agent.server.store.read)
    expect(problems).toEqual([])
    expect(rules).toBeGreaterThan(80)
    expect(await inspectAnswers(agent.server.store.read)).toEqual({ answers: 1, problems: [] })
  })

  it('are seen to be broken, with the rows that break them', async () => {
    const { store } = agent.server
    await store.transaction(async (tx) => {
      await tx.deleteFrom('packages').execute()
      await tx.insertInto('signature_nonces').values({ keyid: 'stray', nonce: 'n', expires_at: 1 }).execute()
      await tx.updateTable('creatives').set({ account_id: 'acc_gone' }).execute()
      await tx.updateTable('idempotency').set({ principal_id: 'nobody' }).execute()
    })
    const { problems } = await inspectStore(store.read)
    expect(problems).toEqual(
      expect.arrayContaining([
        { table: 'media_buys', rule: 'has a package', examples: [mediaBuyId] },
        { table: 'signature_nonces', rule: 'is counted', examples: ['stray'] },
        { table: 'idempotency', rule: 'principal_id is one of principals', examples: ['demo nobody'] },
      ]),
    )
    await store.transaction(async (tx) => {
      await tx.deleteFrom('media_buys').execute()
    })
    expect((await inspectAnswers(store.read)).problems).toEqual([
      {
        table: 'idempotency',
        rule: 'the media buy of a stored answer stands in the store',
        examples: [`${agent.tenant} ${mediaBuyId}`],
      },
    ])
  })
})
