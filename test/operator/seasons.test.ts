import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { importProductFile } from '../../src/operator/products/import-products.ts'
import { showProductPrices } from '../../src/operator/products/product-prices.ts'
import { removeSeason, setSeason } from '../../src/operator/products/seasons.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let ann: ConsoleClient
const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 20 } as const
const bid = { pricing_option_id: 'bid', pricing_model: 'cpm', currency: 'USD', floor_price: 4 } as const
const FAIR = { season: 'fair', from: '2026-03-10', until: '2026-03-20' }

beforeAll(async () => {
  const news = productDocument('news', { pricing_options: [cpm, bid] }, { discounts: [{ percent: 10 }] })
  agent = await startMediaBuyAgent([news, productDocument('open', { pricing_options: [bid] })])
  operator = operatorBeside(agent, agent.server.clock)
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  await agent.run('sync_creatives', { creatives: [{ creative_id: 'a', name: 'A', format_id, assets: { image, click_url } }] })
  ann = await signedIn(agent, 'ann', 'ad_operations', agent.tenant)
})
afterAll(() => agent?.stop())

const set = (members: object) => performAs(operator, agent.tenant, setSeason, { product: 'news', ...members })
const refusal = (members: object) =>
  set(members).then(
    () => undefined,
    ({ field, message }: { field?: string; message: string }) => [field, message],
  )

interface Option {
  readonly pricing_option_id: string
  readonly fixed_price?: number
  readonly ext?: object
  readonly price_breakdown?: object
}
async function offered(filters?: object): Promise<readonly Option[]> {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale', ...(filters && { filters }) })
  return data.products.find(({ product_id: id }: { product_id: string }) => id === 'news').pricing_options
}
const priced = (options: readonly Option[]) => options.map(({ pricing_option_id: id, fixed_price: price }) => [id, price])
const order = (option: string, day: string) =>
  agent.create({
    packages: [{ product_id: 'news', pricing_option_id: option, budget: 1000, creative_assignments: [{ creative_id: 'a' }] }],
    start_time: `${day}T00:00:00Z`,
    end_time: '2026-03-24T00:00:00Z',
  })

it('what is no season is refused, naming the field and what to send instead', async () => {
  expect(await refusal({ ...FAIR })).toEqual(['percent', 'send percent or price, one of both'])
  expect(await refusal({ ...FAIR, percent: '5', price: '5' })).toEqual(['percent', 'send percent or price, one of both'])
  expect((await refusal({ ...FAIR, price: '25' }))?.[0]).toBe('pricing_option_id')
  expect((await refusal({ ...FAIR, percent: 'much' }))?.[0]).toBe('percent')
  expect((await refusal({ ...FAIR, percent: '-95' }))?.[0]).toBe('percent')
  expect((await refusal({ ...FAIR, season: 'Spring Fair', percent: '5' }))?.[0]).toBe('season')
  expect(await refusal({ ...FAIR, percent: '5', until: '2026-03-09' })).toEqual([
    'until',
    'until must not lie before from, 2026-03-10',
  ])
  expect(await refusal({ ...FAIR, percent: '5', pricing_option_id: 'bid' })).toEqual([
    'pricing_option_id',
    'pricing_option_id bid is no fixed price of the product; a season is of a fixed price',
  ])
  expect((await refusal({ ...FAIR, product: 'open', percent: '5' }))?.[0]).toBe('pricing_option_id')
  expect((await refusal({ ...FAIR, product: 'none', percent: '5' }))?.[0]).toBe('product')
  expect(priced(await offered())).toEqual([
    ['cpm', 20],
    ['bid', undefined],
  ])
})

it('a buyer sees the price of the days that it asks for, buys at it and is charged it', async () => {
  expect(await set({ ...FAIR, percent: '25' })).toEqual({
    product_id: 'news',
    seasons: [{ season_id: 'fair', from: '2026-03-10', until: '2026-03-20', percent: 25 }],
  })
  const options = await offered()
  expect(priced(options)).toEqual([
    ['cpm', 20],
    ['cpm:season-fair', 25],
    ['bid', undefined],
  ])
  const days = { season_id: 'fair', starts_from: '2026-03-10', starts_until: '2026-03-20' }
  expect(options[0]?.ext).toEqual({ other_seasons: [{ ...days, pricing_option_id: 'cpm:season-fair' }] })
  expect(options[1]).toMatchObject({
    ext: { season: days },
    price_breakdown: { list_price: 20, adjustments: [{ kind: 'fee', name: 'season fair', rate: 0.25 }] },
  })
  expect(priced(await offered({ start_date: '2026-03-20', end_date: '2026-03-30' }))[0]).toEqual(['cpm:season-fair', 25])
  expect(priced(await offered({ start_date: '2026-03-21', end_date: '2026-03-30' }))[0]).toEqual(['cpm', 20])
  const { data: wrong } = await order('cpm', '2026-03-12')
  expect(wrong.adcp_error).toMatchObject({
    field: 'packages[0].pricing_option_id',
    message: expect.stringContaining('on other days than from 2026-03-10 to 2026-03-20 (UTC); this one starts on 2026-03-12'),
    suggestion: 'send cpm:season-fair, which is 25 USD',
  })
  expect((await order('cpm:season-fair', '2026-03-21')).data.adcp_error.suggestion).toBe('send cpm, which is 20 USD')
  const { data: bought } = await order('cpm:season-fair', '2026-03-12')
  expect(bought.errors).toBeUndefined()
  agent.setClock('2026-03-23T00:00:00Z')
  const { data } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [bought.media_buy_id] })
  agent.setClock('2026-03-01T12:00:00Z')
  const [pkg] = data.media_buy_deliveries[0].by_package
  expect([pkg.rate, pkg.impressions > 0]).toEqual([25, true])
  expect(Math.abs(pkg.spend - (pkg.impressions * 25) / 1000)).toBeLessThanOrEqual(0.01)
})

it('a start does not move over the edge of a season; a discount is of the price of the season', async () => {
  const { data } = await order('cpm:season-fair', '2026-03-12')
  const move = (day: string) =>
    agent.run('update_media_buy', { media_buy_id: data.media_buy_id, start_time: `${day}T00:00:00Z`, revision: undefined })
  expect((await move('2026-03-08')).data.adcp_error).toMatchObject({
    field: 'start_time',
    message: expect.stringContaining('start from 2026-03-10 to 2026-03-20 (UTC): it cannot start on 2026-03-08'),
  })
  expect((await move('2026-03-14')).data.errors).toBeUndefined()
  expect((await order('cpm:season-fair:less-10', '2026-03-12')).data.errors).toBeUndefined()
  expect((await order('cpm:season-fair:less-10', '2026-03-08')).data.adcp_error.suggestion).toBe('send cpm, which is 20 USD')
})

it('two seasons of a price share no day; one of the same name is replaced', async () => {
  expect(await refusal({ season: 'late', from: '2026-03-20', until: '2026-04-01', percent: '-10' })).toEqual([
    'from',
    'from shares days with the season fair, 2026-03-10 to 2026-03-20, of the same price; choose days outside of it',
  ])
  await set({ season: 'late', from: '2026-03-21', until: '2026-04-01', price: '14.50', pricing_option_id: 'cpm' })
  await set({ ...FAIR, percent: '-12,5' })
  expect(priced(await offered())).toEqual([
    ['cpm', 20],
    ['cpm:season-late', 14.5],
    ['cpm:season-fair', 17.5],
    ['bid', undefined],
  ])
})

it('which price a buyer gets, and why, names the season; with a first day, it is the price of that day', async () => {
  const rows = async (members: object) =>
    (await performAs(operator, agent.tenant, showProductPrices, { product: 'news', buyer: 'buyer', ...members })).prices
  const all = await rows({})
  expect(all.map(({ pricing_option_id: id, listed, price }) => [id, listed, price])).toEqual([
    ['cpm', 20, 18],
    ['cpm:season-late', 14.5, 13.05],
    ['cpm:season-fair', 17.5, 15.75],
    ['bid', 4, 4],
  ])
  expect(all[2]?.why[0]).toBe('season fair, 12.5 % less than usual, for flights that start from 2026-03-10 to 2026-03-20 (UTC)')
  expect(all[1]?.why[0]).toBe('season late, for flights that start from 2026-03-21 to 2026-04-01 (UTC)')
  expect((await rows({ starts: '2026-03-21' })).map(({ granted_option_id: id }) => id)).toEqual([
    'cpm:season-late:less-10',
    'bid',
  ])
})

it('in the console the page of the product has the seasons; a refused one is shown again with what was written', async () => {
  const page = `/console/t/${agent.tenant}/products/news`
  const { text } = await ann.get(page)
  const panel = text.split('<h2>Seasons</h2>')[1]?.split('</section>')[0] ?? ''
  for (const shown of ['fair', '2026-03-10', '$17.50', 'late', '$14.50', 'Add a season']) expect(panel).toContain(shown)
  const sent = { season: 'week', from: '2026-03-12', until: '2026-03-13', percent: '5', price: '', pricing_option_id: '' }
  const refused = await ann.post(`${page}/seasons`, sent)
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('shares days with the season fair')])
  expect(refused.text).toContain('value="2026-03-12"')
  expect((await ann.post(`${page}/seasons/fair/remove`)).status).toBe(303)
  expect((await ann.post(`${page}/seasons`, sent)).status).toBe(303)
  const viewer = await signedIn(agent, 'vera', 'viewer', agent.tenant)
  expect((await viewer.get(page)).text).not.toContain('Add a season')
  await expect(performAs(operator, agent.tenant, removeSeason, { product: 'news', season: 'fair' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
    message: expect.stringContaining('it has late, week'),
  })
})

it('a plan of the publisher for days of a season has its price, and can be bought by its id', async () => {
  const products = ['news', 'sport'].map((id) => productDocument(id, { pricing_options: [cpm] }))
  const seasons = [{ season_id: 'fair', from: '2026-03-10', until: '2026-03-20', percent: 50 }]
  const priced = products.map((product) => ({ ...product, selling: { ...product.selling, seasons } }))
  const allocations = ['news', 'sport'].map((id) => ({ product_id: id, allocation_percentage: 50, pricing_option_id: 'cpm' }))
  const plans = [{ proposal_id: 'garden', name: 'Garden', keywords: ['garden', 'flowers'], allocations }]
  const document = { version: 1, products: priced, plans }
  await performAs(operator, agent.tenant, importProductFile, { document })
  const misnamed = priced.map((one) => ({
    ...one,
    selling: { ...one.selling, seasons: [{ ...seasons[0], season_id: 'Fair!' }] },
  }))
  await expect(
    performAs(operator, agent.tenant, importProductFile, { document: { version: 1, products: misnamed } }),
  ).rejects.toThrow('must be 1 to 32 small letters, digits and hyphens such as "christmas"')
  const filters = { start_date: '2026-03-12', end_date: '2026-03-22' }
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'garden flowers', filters })
  const plan = data.proposals.find(({ name }: { name: string }) => name === 'Garden')
  const optionOf = ({ pricing_option_id }: { pricing_option_id: string }) => ({ pricing_option_id })
  expect(plan.allocations.map(optionOf)).toEqual(Array(2).fill({ pricing_option_id: 'cpm:season-fair' }))
  const refine = [{ scope: 'proposal', proposal_id: plan.proposal_id, action: 'finalize' }]
  const { data: firm } = await agent.run('get_products', { buying_mode: 'refine', refine })
  expect(firm.proposals[0]).toMatchObject({ proposal_status: 'committed', allocations: plan.allocations.map(optionOf) })
})
