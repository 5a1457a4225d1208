import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentClient } from '../../support/client.ts'
import { banner } from '../../support/creative-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const ORDERS = 200

let agent: MediaBuyAgent
let tester: AgentClient
beforeAll(async () => {
  const auction = { pricing_option_id: 'bids', pricing_model: 'cpm', currency: 'USD', floor_price: 5 } as const
  const fixed = {
    pricing_option_id: 'cpm',
    pricing_model: 'cpm',
    currency: 'USD',
    fixed_price: 10,
    min_spend_per_package: 200,
  } as const
  const points = {
    pricing_option_id: 'points',
    pricing_model: 'cpp',
    currency: 'USD',
    fixed_price: 100,
    parameters: { demographic: 'P18-49', demographic_system: 'nielsen' },
  } as const
  const targeting = { keywords: true, frequency_cap: true, geo: ['country', 'region', 'metro:nielsen_dma'] }
  agent = await startMediaBuyAgent(
    [
      productDocument('news', { pricing_options: [fixed, auction, points] }, { targeting }),
      productDocument('sound', { channels: ['podcast'], format_ids: ['audio_30s'] }),
      productDocument('mixed', { format_ids: ['display_300x250', 'audio_30s'] }, { targeting }),
      productDocument('television', { channels: ['linear_tv'], format_ids: ['broadcast_spot_30s'] }),
      productDocument('scarce', { delivery_type: 'guaranteed' }, { daily_capacity: 20_000 }),
      productDocument('late', { pricing_options: [fixed] }, { creative_lead_hours: 48 }),
    ],
    { flags: { 'adServer.type': 'embedded' } },
  )
  tester = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
}, 120_000)
afterAll(() => agent?.stop())

/** Numbers from 0 to below 1, the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function generated(random: () => number) {
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const maybe = <T extends object>(share: number, value: T) => (random() < share ? value : {})
  const overlay = () =>
    one([
      { geo_countries: ['US'] },
      { geo_metros: [{ system: 'nielsen_dma', values: ['501'] }] },
      { geo_metros: [{ system: 'uk_itl2', values: ['UKI3'] }] },
      { geo_regions: ['US-CA'] },
      { frequency_cap: { max_impressions: 3, per: 'individuals', window: { interval: 1, unit: 'days' } } },
      { frequency_cap: { suppress: { interval: 60, unit: 'minutes' } } },
      { keyword_targets: [{ keyword: 'shoes', match_type: 'broad' }] },
      { device_type: ['mobile'] },
      { language: ['en'] },
      { language: ['xx'] },
      { daypart_targets: [{ days: ['monday'], start_hour: 8, end_hour: 20 }] },
      { daypart_targets: [{ days: ['monday'], start_hour: 20, end_hour: 8 }] },
      { geo_countries: ['SE'], geo_countries_exclude: ['SE'] },
    ])
  const format = (id: string) => ({ agent_url: agent.server.services.wiring.agentUrl, id })
  const name = `c${Math.floor(random() * 1e9)}`
  const pkg = () => ({
    product_id: one(['news', 'news', 'news', 'mixed', 'mixed', 'scarce', 'late', 'sound', 'television', 'nothing']),
    pricing_option_id: one(['cpm', 'cpm', 'cpm', 'cpm', 'cpm', 'bids', 'points']),
    budget: one([100, 1000, 1000, 1000, 5000, 1_000_000]),
    ...maybe(0.15, { bid_price: one([0.5, 6, 50]) }),
    ...maybe(0.35, { targeting_overlay: overlay() }),
    ...maybe(0.2, { pacing: one(['even', 'asap', 'front_loaded']) }),
    ...maybe(0.2, { format_ids: [format(one(['display_300x250', 'audio_30s', 'nowhere']))] }),
    ...maybe(0.2, { creatives: [banner(agent.url, name)] }),
    ...maybe(0.1, { creative_assignments: [{ creative_id: 'unknown' }] }),
  })
  const order = {
    packages: random() < 0.2 ? [pkg(), pkg()] : [pkg()],
    start_time: one(['2026-03-02T00:00:00Z', '2026-03-06T00:00:00Z', '2026-03-06T00:00:00Z', '2025-03-02T00:00:00Z']),
  }
  const change = one([
    { paused: true },
    { canceled: true },
    { end_time: '2026-03-14T00:00:00Z' },
    { packages: [{ budget: 2000 }] },
    { packages: [{ targeting_overlay: overlay() }] },
    { packages: [{ bid_price: 7 }] },
    { packages: [{ creative_assignments: [{ creative_id: 'unknown' }] }] },
  ])
  return { order, change }
}

/** What became of a call: its status, or the code and place of the refusal. */
const verdictOf = ({ data }: { data: { status?: string; adcp_error?: { code: string; field?: string } } }) =>
  data.adcp_error ? `${data.adcp_error.code} ${data.adcp_error.field}` : `${data.status}`

async function play({ order, change }: ReturnType<typeof generated>, client: AgentClient): Promise<readonly string[]> {
  const made = await agent.create(order, client)
  if (made.isError) return [verdictOf(made)]
  const { media_buy_id, packages } = made.data
  const named =
    'packages' in change
      ? { packages: change.packages?.map((each) => ({ package_id: packages[0].package_id, ...each })) }
      : change
  return [verdictOf(made), verdictOf(await agent.run('update_media_buy', { media_buy_id, ...named }, client))]
}

test('a sandbox buyer is refused what a production buyer is, in the same place, and nothing else', async () => {
  const random = seeded(31)
  const verdicts = new Map<string, number>()
  for (let count = 0; count < ORDERS; count++) {
    const orders = generated(random)
    const [live, tried] = [await play(orders, agent.buyer), await play(orders, tester)]
    expect(tried, JSON.stringify(orders)).toEqual(live)
    for (const verdict of live) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
  }
  // The orders reach what is compared: some are taken, and the ad server refuses others.
  expect(verdicts.get('pending_creatives') ?? 0).toBeGreaterThan(20)
  expect([...verdicts.keys()].filter((verdict) => verdict.startsWith('UNSUPPORTED_FEATURE')).length).toBeGreaterThan(2)
}, 120_000)
