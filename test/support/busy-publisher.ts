import { randomUUID } from 'node:crypto'
import { operatorOn } from '../../src/compose/operator.ts'
import { addBuyer } from '../../src/operator/buyers/add-buyer.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { createKey } from '../../src/operator/keys/create-key.ts'
import { agentClient } from './client.ts'
import { banner } from './creative-agent.ts'
import { type MediaBuyAgent, productDocument } from './media-buy-agent.ts'
import { performAs, setTenant } from './operator.ts'

const cpm = (fixed_price: number) => ({
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'USD', fixed_price }],
})
/** What the publisher sells. */
export const BUSY_PRODUCTS = [
  productDocument('home', { name: 'Home page, top banner', description: 'Above the news', ...cpm(15) }),
  productDocument('sport', { name: 'Sport, beside the results', description: 'On each match page', ...cpm(12) }),
  productDocument('newsletter', { name: 'Morning newsletter', description: 'Each morning at six', ...cpm(30) }),
  productDocument(
    'takeover',
    { name: 'Home page takeover', description: 'All places for a day', delivery_type: 'guaranteed', ...cpm(40) },
    { approval: 'manual', daily_capacity: 400_000 },
  ),
]

/** The clock of the agent: it is moved while orders come in. */
export interface Clock {
  now: Date
}

interface Buyer {
  readonly brand: string
  readonly run: (task: string, args: object) => Promise<Readonly<Record<string, unknown>>>
}

async function buyer(agent: MediaBuyAgent, id: string, name: string, brand: string): Promise<Buyer> {
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  await performAs(operator, agent.tenant, addBuyer, { buyer: id, name })
  const { token } = await performAs(operator, agent.tenant, createKey, { buyer: id })
  const client = agentClient(agent.url, token)
  const account = { brand: { domain: brand }, operator: `${id}.example` }
  const run: Buyer['run'] = async (task, args) => {
    const { isError, data } = await client.call(task, { idempotency_key: randomUUID(), account, ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  await run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
  return { brand, run }
}

async function order(
  { now }: Clock,
  { brand, run }: Buyer,
  product_id: string,
  budget: number,
  days: number,
  creatives: readonly string[] = [],
) {
  await run('create_media_buy', {
    brand: { domain: brand },
    start_time: new Date(now.getTime() + 3_600_000).toISOString(),
    end_time: new Date(now.getTime() + days * 86_400_000).toISOString(),
    packages: [
      {
        product_id,
        pricing_option_id: 'cpm',
        budget,
        ...(creatives.length > 0 && { creative_assignments: creatives.map((creative_id) => ({ creative_id })) }),
      },
    ],
  })
}

/** A publisher in the middle of a week: orders of three buyers, of which some run, one has no creative, and two wait. */
export async function busyPublisher(agent: MediaBuyAgent, clock: Clock): Promise<void> {
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  await setTenant(operator, agent.tenant, { name: 'Daily News', domain: 'daily.example' })
  const coffee = await buyer(agent, 'north', 'North Media', 'coffee.example')
  const shoes = await buyer(agent, 'harbour', 'Harbour Agency', 'shoes.example')
  const trains = await buyer(agent, 'plain', 'Plain & Partners', 'trains.example')
  const creatives = (names: readonly string[]) => ({
    creatives: names.map((name) => banner(agent.url, name.toLowerCase().replaceAll(' ', '-'), { name })),
  })
  await coffee.run('sync_creatives', creatives(['Roast']))
  await shoes.run('sync_creatives', creatives(['Spring run']))
  await trains.run('sync_creatives', creatives(['Night trains']))
  await order(clock, coffee, 'home', 12_000, 14, ['roast'])
  await order(clock, coffee, 'sport', 3_400, 21, ['roast'])
  await order(clock, shoes, 'sport', 8_250, 10, ['spring-run'])
  await order(clock, trains, 'newsletter', 1_800, 9, ['night-trains'])
  await order(clock, trains, 'home', 5_000, 30)
  clock.now = new Date('2026-03-07T14:20:00Z')
  await order(clock, shoes, 'newsletter', 2_600, 12, ['spring-run'])
  await performAs(operator, agent.tenant, setCreativeReview, { mode: 'manual' })
  await coffee.run('sync_creatives', creatives(['Espresso', 'Filter', 'Cold brew']))
  await trains.run('sync_creatives', creatives(['Day trains', 'Weekend']))
  clock.now = new Date('2026-03-07T15:05:00Z')
  await order(clock, shoes, 'takeover', 18_000, 2)
  await order(clock, trains, 'takeover', 9_500, 4)
}
