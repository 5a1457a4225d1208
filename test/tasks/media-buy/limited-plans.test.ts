import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const sports = { keywords: ['sports'], approval: 'automatic' as const, targeting: { geo: ['country'], frequency_cap: true } }
  const both = { countries: ['SE', 'NO'] }
  agent = await startMediaBuyAgent(
    [
      productDocument('nordic', { channels: ['display'] }, { ...sports, coverage: both }),
      productDocument('norway', { channels: ['olv'] }, { ...sports, coverage: { countries: ['NO'] } }),
      productDocument('world', { channels: ['olv'] }, { ...sports, keywords: ['video'] }),
    ],
    { contracts: loadContracts() },
  )
}, 120_000)
afterAll(() => agent?.stop())

const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const FILTERS = { start_date: '2026-04-01', end_date: '2026-04-10' }
const get = async (request: object) => {
  const { data } = await agent.buyer.call('get_products', request)
  expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
  return data
}
const refine = (pin: object, entry: object) => get({ ...pin, buying_mode: 'refine', refine: [{ scope: 'proposal', ...entry }] })
const bought = async (pin: object, proposal_id: string, more: object = {}) => {
  await refine(pin, { proposal_id, action: 'finalize' })
  const { data } = await agent.run('create_media_buy', {
    ...pin,
    brand: ACCOUNT.brand,
    start_time: '2026-04-01T00:00:00Z',
    end_time: '2026-04-11T00:00:00Z',
    proposal_id,
    total_budget: { amount: 12_000, currency: 'USD' },
    ...more,
  })
  const { data: read } = await agent.buyer.call('get_media_buys', {
    ...pin,
    media_buy_ids: [data.media_buy_id],
    account: ACCOUNT,
  })
  const packages: { product_id: string; targeting_overlay?: { geo_countries?: string[] } }[] = read.media_buys[0].packages
  return Object.fromEntries(packages.map((pkg) => [pkg.product_id, pkg.targeting_overlay?.geo_countries]))
}

test('a plan that is refined to one country is bought limited to it', async () => {
  for (const [index, pin] of PINS.entries()) {
    const brief = `sports fans in Norway, USD 12,00${index}`
    const { proposals } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
    const answer = await refine(pin, { proposal_id: proposals[0].proposal_id, action: 'include', ask: 'only Norway' })
    expect(answer.ext?.notes ?? []).not.toContainEqual(expect.stringContaining('Proposals are limited'))
    expect(answer.refinement_applied[0], JSON.stringify(pin)).toMatchObject({
      status: 'applied',
      notes: expect.stringContaining('delivery in NO alone'),
    })
    const [plan] = answer.proposals
    expect(plan.ext.targeting_overlay).toEqual({ geo_countries: ['NO'] })
    const wider = await refine(pin, { proposal_id: plan.proposal_id, action: 'include', ask: 'in Sweden' })
    expect(wider.refinement_applied[0].notes).toContain('only NO, SE')
    expect(await bought(pin, plan.proposal_id)).toEqual({ nordic: ['NO'], world: ['NO'], norway: undefined })
  }
})

test('a plan for a brief that wants one country alone is bought limited to it, and the answer says so', async () => {
  for (const [index, pin] of PINS.entries()) {
    const brief = `sports fans in Norway only, USD 13,00${index}`
    const { proposals, ext, products } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
    const [{ proposal_id }] = proposals
    expect(products.map(({ product_id }: { product_id: string }) => product_id)).toContain('nordic')
    expect(ext.notes.join(' ')).toContain('Proposals are limited to NO.')
    expect(ext.notes.join(' ')).not.toContain('of a bought proposal by update_media_buy')
    expect(await bought(pin, proposal_id)).toEqual({ nordic: ['NO'], world: ['NO'], norway: undefined })
  }
})

test.each([
  ['banners, only Norway, USD 16,000', ['NO']],
  ['banners, USD 16,100, exclusively for NO and DK', ['NO', 'DK']],
  ['banners, USD 16,200, not outside Norway', ['NO']],
  ['banner, USD 16,300, nur Norwegen', ['NO']],
])('%s: so the packages of the plan are limited, at each release', async (text, countries) => {
  for (const [index, pin] of PINS.entries()) {
    const brief = `${'sports '.repeat(index + 1)}${text}`
    const { proposals, ext } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
    expect(ext.notes.join(' '), brief).toContain(`limited to ${countries.join(', ')}`)
    expect(await bought(pin, proposals[0].proposal_id)).toMatchObject({ nordic: countries })
  }
})

test('packages of the buyer’s own beside a limited proposal are limited too, unless they name places', async () => {
  const { proposals } = await get({ buying_mode: 'brief', brief: 'sports in Norway only, USD 14,000', filters: FILTERS })
  const own = { product_id: 'nordic', pricing_option_id: 'cpm', budget: 3000 }
  const [{ proposal_id }] = proposals
  expect(await bought({}, proposal_id, { packages: [own] })).toEqual({ nordic: ['NO'] })
  const wider = [{ ...own, targeting_overlay: { geo_countries: ['SE', 'NO'] } }]
  expect(await bought({}, proposal_id, { packages: wider })).toEqual({ nordic: ['SE', 'NO'] })
})

test('a negotiated draft of 3.2 is limited too', async () => {
  const run = async (task: string, args: object) => {
    const { data } = await agent.run(task, { adcp_version: '3.2', account: undefined, ...args })
    expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
    return data
  }
  const { proposals } = await run('request_proposals', {
    brand: ACCOUNT.brand,
    brief: 'sports fans in Norway, USD 15,000',
    criteria: { offer_filters: FILTERS },
  })
  const entry = { proposal_id: proposals[0].proposal_id, action: 'revise', ask: 'only Norway' }
  const { results } = await run('refine_proposals', { refinements: [entry] })
  expect(results[0].outcome, JSON.stringify(results)).toBe('revised')
  const { purchases } = results[0].proposals[0].commercial_terms
  const nordic = purchases.find(({ product_id }: { product_id: string }) => product_id === 'nordic')
  expect(JSON.stringify(nordic)).toContain('"geo_countries":["NO"]')
  const again = { proposal_id: results[0].proposals[0].proposal_id, action: 'revise', ask: 'display to 70%' }
  expect(JSON.stringify(await run('refine_proposals', { refinements: [again] }))).toContain('"geo_countries":["NO"]')
})

interface Forecast {
  points: { metrics: { impressions: { high: number } } }[]
}

test('a draft forecasts no more than its own days hold, whatever the request that refines it says', async () => {
  const { proposals } = await get({ buying_mode: 'brief', brief: 'sports, USD 900,000', filters: FILTERS })
  const most = ({ forecast }: { forecast?: Forecast }) => forecast?.points[0]?.metrics.impressions.high ?? Number.NaN
  const first = most(proposals[0])
  // Two products of a million a day, ten days.
  expect(first).toBeLessThanOrEqual(20_000_000)
  const answer = await refine({}, { proposal_id: proposals[0].proposal_id, action: 'include', ask: 'a budget of 5,000,000 USD' })
  expect(most(answer.proposals[0])).toBeLessThanOrEqual(20_000_000)
  expect(most(answer.proposals[0])).toBeGreaterThanOrEqual(first)
})

const CAP = { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } }
const overlays = async (pin: object, proposal_id: string) => {
  await refine(pin, { proposal_id, action: 'finalize' })
  const { data } = await agent.run('create_media_buy', {
    ...pin,
    brand: ACCOUNT.brand,
    start_time: '2026-04-01T00:00:00Z',
    end_time: '2026-04-11T00:00:00Z',
    proposal_id,
    total_budget: { amount: 12_000, currency: 'USD' },
  })
  const request = { ...pin, media_buy_ids: [data.media_buy_id], account: ACCOUNT }
  const { data: read } = await agent.buyer.call('get_media_buys', request)
  return read.media_buys[0].packages.map(({ targeting_overlay }: { targeting_overlay?: object }) => targeting_overlay)
}

test('a cap and a language of a brief are in the packages of its plan, and the answer says so', async () => {
  for (const [index, pin] of PINS.entries()) {
    const brief = `sports fans in Norway, in Swedish, three a day, weekly report, USD 17,00${index}`
    const { proposals, ext } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
    const said = ext.notes.join(' ')
    expect(said).toContain('Proposals carry into their packages: language sv; at most 3 impressions of a device in 1 day')
    expect(said).not.toContain('the frequency cap (')
    expect(said).toContain('the weekly reports (there are none')
    expect(proposals[0].ext.targeting_overlay).toEqual({ language: ['sv'], frequency_cap: CAP })
    for (const overlay of await overlays(pin, proposals[0].proposal_id))
      expect(overlay).toMatchObject({ language: ['sv'], frequency_cap: CAP })
  }
})

test('an ask for a cap or a language is applied to the packages, and one that cannot be is not called applied', async () => {
  for (const [index, pin] of PINS.entries()) {
    const { proposals } = await get({ ...pin, buying_mode: 'brief', brief: `sports, USD 18,00${index}`, filters: FILTERS })
    const [{ proposal_id }] = proposals
    const { proposals: refined, refinement_applied: applied } = await refine(pin, {
      proposal_id,
      action: 'include',
      ask: 'three a day, in Swedish',
    })
    expect(applied[0], JSON.stringify(applied)).toMatchObject({
      status: 'applied',
      notes: expect.stringContaining('in the packages of its order'),
    })
    for (const overlay of await overlays(pin, refined[0].proposal_id))
      expect(overlay).toMatchObject({ language: ['sv'], frequency_cap: CAP })
    const household = await refine(pin, { proposal_id, action: 'include', ask: 'three a day per household' })
    expect(household.refinement_applied[0].status).toBe('unable')
  }
})

test('a brief that leaves a country out gets a plan whose packages are kept out of it, at each release', async () => {
  for (const [index, pin] of PINS.entries()) {
    const brief = `sports display and video, no Norway please, USD 19,00${index}`
    const { proposals, products, ext } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
    const ids = products.map(({ product_id }: { product_id: string }) => product_id)
    expect(ids).toContain('nordic')
    expect(ids).not.toContain('norway')
    const said = ext.notes.join(' ')
    expect(said).toContain('Proposals are kept out of NO.')
    expect(said).toContain(
      'Not part of products: no delivery in NO (targeting_overlay.geo_countries_exclude ["NO"] of each package;',
    )
    expect(proposals[0].ext.targeting_overlay).toEqual({ geo_countries_exclude: ['NO'] })
    expect(proposals[0].proposal_id).toContain('~not-NO')
    const packages = await overlays(pin, proposals[0].proposal_id)
    expect(packages.length).toBeGreaterThan(0)
    for (const overlay of packages) expect(overlay).toEqual({ geo_countries_exclude: ['NO'] })
  }
})

test('an ask that leaves a country out is applied to the packages of the plan', async () => {
  for (const [index, pin] of PINS.entries()) {
    const { proposals } = await get({ ...pin, buying_mode: 'brief', brief: `sports, USD 21,00${index}`, filters: FILTERS })
    const answer = await refine(pin, { proposal_id: proposals[0].proposal_id, action: 'include', ask: 'minus Norway' })
    expect(answer.refinement_applied[0], JSON.stringify(answer.refinement_applied)).toMatchObject({
      status: 'applied',
      notes: expect.stringMatching(/dropped norway.*no delivery in NO: packages of its order are kept out of it/),
    })
    const [{ proposal_id }] = answer.proposals
    for (const overlay of await overlays(pin, proposal_id)) expect(overlay).toEqual({ geo_countries_exclude: ['NO'] })
  }
})

test('places that nobody can tell of are named, and a negotiated draft of 3.2 keeps out too', async () => {
  for (const pin of PINS) {
    const { ext } = await get({ ...pin, buying_mode: 'brief', brief: 'sports, Norge exklusive', filters: FILTERS })
    expect(ext.notes.join(' ')).toContain('What "Norge exklusive" wants of places was not understood, so NO is neither')
  }
  const { data } = await agent.run('request_proposals', {
    adcp_version: '3.2',
    account: undefined,
    brand: ACCOUNT.brand,
    brief: 'sports display and video, not in Norway, three a day, USD 22,000',
    criteria: { offer_filters: FILTERS },
  })
  expect(data.ext.notes.join(' ')).toContain('Proposals are kept out of NO.')
  const [{ commercial_terms: terms }] = data.proposals
  for (const { targeting_overlay: overlay } of terms.purchases)
    expect(overlay).toMatchObject({ geo_countries_exclude: ['NO'], frequency_cap: CAP })
  expect(data.ext.notes.join(' ')).toContain('at most 3 impressions of a device in 1 day')
})
