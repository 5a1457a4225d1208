import pg from 'pg'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { adminClient } from '../../test/support/admin-client.ts'
import { signedIn } from '../../test/support/console-client.ts'
import { CONSOLE_PAGES } from '../../test/support/console-pages.ts'
import { growPublisher } from '../../test/support/grow-publisher.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../test/support/media-buy-agent.ts'
import { createAdminKey } from '../../test/support/operator.ts'
import { median } from '../measure.ts'

/** What is asked, by name; gives the status of its answer. */
export type Questions = ReadonlyMap<string, () => Promise<number>>

/** Median of later requests, and the first one, in milliseconds. */
export interface Taken {
  readonly ms: number
  readonly first: number
}

/** A publisher with orders, and everything that its people can ask about it. */
export interface MeasuredPublisher {
  readonly questions: Questions
  /** Has so many orders, and a product for each ten of them. */
  grow(orders: number): Promise<void>
  stop(): Promise<void>
}

/** Requests before those that are measured. */
export const WARM_UP = 4

/** What lists and sums up, by the names of the operations. */
const LISTS = /^(list|report|showSettings|showApprovalPolicy)/

/** Starts an agent on a database of PostgreSQL, or on the embedded store, with one order. */
export async function startMeasuredPublisher(database?: string): Promise<MeasuredPublisher> {
  const products = Array.from({ length: 10 }, (_empty, n) => productDocument(n === 0 ? 'news' : `p${n}`))
  const flags = { 'limits.adminRequests': 1_000_000, ...(database !== undefined && { database }) }
  const agent = await startMediaBuyAgent(products, { flags })
  const { server, tenant, buyer } = agent
  const questions = await questionsOf(agent)
  await agent.create()
  return {
    questions,
    async grow(orders) {
      await growPublisher(server.store, tenant, { orders, products: Math.max(10, orders / 10) }, server.clock())
      if (database !== undefined) await settle(database)
      await buyer.call('get_products', { buying_mode: 'brief', brief: 'news' })
    },
    stop: () => agent.stop(),
  }
}

/** Does what PostgreSQL does by itself in the minutes after so many rows were written, so that it does not happen while it is measured. */
async function settle(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** Each page of the console, and each list of the admin API. */
async function questionsOf(agent: MediaBuyAgent): Promise<Questions> {
  const client = await signedIn(agent, 'measurer', 'administrator', agent.tenant)
  const asked = new Map<string, () => Promise<number>>()
  for (const path of CONSOLE_PAGES)
    asked.set(`/${path}`, async () => (await client.get(`/console/t/${agent.tenant}/${path}`)).status)
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  const key = { name: 'bench', role: 'administrator' as const, deployment: false }
  const { token } = await createAdminKey(operator, { tenantId: agent.tenant, ...key })
  const call = adminClient(agent.url, token)
  for (const { method, path, id, scope } of OPERATIONS)
    if (method === 'GET' && scope === 'publisher' && !path.includes('{') && LISTS.test(id))
      asked.set(`GET /admin/v1${path}`, async () => (await call('GET', path)).status)
  return asked
}

/** Asks every question, one request at a time. Throws when an answer is not 200. */
export async function measureQuestions(questions: Questions, samples: number): Promise<ReadonlyMap<string, Taken>> {
  const medians = new Map<string, Taken>()
  for (const [name, ask] of questions) {
    const taken: number[] = []
    for (let n = 0; n < WARM_UP + samples; n += 1) {
      const started = performance.now()
      const status = await ask()
      if (status !== 200) throw new Error(`${name}: ${status}`)
      taken.push(performance.now() - started)
    }
    medians.set(name, { ms: median(taken.slice(WARM_UP)), first: taken[0] ?? Number.NaN })
  }
  return medians
}
