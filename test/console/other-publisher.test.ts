import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { listKeys } from '../../src/operator/keys/list-keys.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import { agentClient } from '../support/client.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { banner } from '../support/creative-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

/** Values of path parameters that name things of another publisher, by the first segment of the path. */
let values: Readonly<Record<string, Readonly<Record<string, string>>>>
let agent: MediaBuyAgent
let person: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  const key = await agent.addBuyer({ principal: 'theirs', tenant: 'other' })
  await signedIn(agent, 'their-person', 'viewer', 'other')
  const products = [productDocument('their-news'), productDocument('their-takeover', {}, { approval: 'manual' })]
  await agent.server.store.transaction((tx) =>
    saveProducts(tx, 'other', { version: 1, products }, { merge: false }, agent.server.clock()),
  )
  await performAs(operatorOn(agent.server.store, agent.config), 'other', setCreativeReview, { mode: 'manual' })
  const buyer = agentClient(agent.url, key)
  const run = async (task: string, args: object) => {
    const { data, isError } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  await run('sync_accounts', { account: undefined, accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  const order = (product_id: string) =>
    run('create_media_buy', {
      brand: ACCOUNT.brand,
      start_time: '2026-03-02T00:00:00Z',
      end_time: '2026-03-12T00:00:00Z',
      packages: [{ product_id, pricing_option_id: 'cpm', budget: 500 }],
    })
  const { media_buy_id: id } = await order('their-news')
  const { task_id: task } = await order('their-takeover')
  await run('sync_creatives', { creatives: [banner(agent.url, 'their-banner')] })
  const { accounts } = (await buyer.call('list_accounts', {})).data
  const [theirKey] = (await performAs(operatorOn(agent.server.store, agent.config), 'other', listKeys, {})).items
  const account = String(accounts[0].account_id)
  values = {
    orders: { id: String(id), action: 'pause' },
    inbox: { id: String(task) },
    creatives: { buyer: 'theirs', account, creative: 'their-banner' },
    products: { id: 'their-news' },
    buyers: { id: 'theirs', key: theirKey?.key_id ?? '' },
    accounts: { id: account },
    people: { username: 'their-person' },
  }
  person = await signedIn(agent, 'ours', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

const routes = consoleRouteTable().flatMap(({ method, path }) => {
  const [, segment = ''] = /^\/t\/\{tenant\}\/(\w+)\/.*\{/.exec(path) ?? []
  return segment === '' ? [] : [{ method, path, segment }]
})

describe('the ids of another publisher', () => {
  it('are those of most routes with an id', () => {
    const known = routes.filter(({ segment }) => Object.hasOwn(values, segment))
    expect(known.length).toBeGreaterThan(30)
  })

  it('mean nothing at a publisher where they are not: nothing of it is shown, and nothing done', async () => {
    const operator = operatorOn(agent.server.store, agent.config)
    await agent.server.audit.settled()
    const before = await listAuditEntries(operator, 'other', { limit: 100 })
    const wrong: string[] = []
    for (const { method, path, segment } of routes) {
      const own = values[segment]
      if (own === undefined || path.endsWith('/live')) continue
      const parameters = [...path.replace('{tenant}', '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      if (!parameters.every((name) => Object.hasOwn(own, name))) continue
      const filled = path
        .replace('{tenant}', agent.tenant)
        .replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(own[name] ?? 'none'))
      if (method === 'POST') await person.get('/console/account')
      const fields = {
        reason: 'x',
        role: 'viewer',
        status: 'suspended',
        rule: 'refuse',
        revision: '1',
        column: 'price',
        value: '1',
        pricing_option_id: 'cpm',
        page: 'https://other.example/',
      }
      const { status } = await (method === 'GET' ? person.get(`/console${filled}`) : person.post(`/console${filled}`, fields))
      if (status < 400 && !HARMLESS.test(path)) wrong.push(`${method} ${path}: ${status}`)
    }
    expect(wrong).toEqual([])
    await agent.server.audit.settled()
    expect(await listAuditEntries(operator, 'other', { limit: 100 })).toEqual(before)
  })
})

/** Answers that say only that something is missing, with 200: a check of what somebody types, and a buyer's calls, of which there are none. */
const HARMLESS = /price\/check$|\/preview$|\/calls$/
