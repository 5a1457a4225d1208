import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { savePlacement } from '../../src/operator/placements/manage-placements.ts'
import { importProductFile } from '../../src/operator/products/import-products.ts'
import { showProduct } from '../../src/operator/products/list-products.ts'
import { productHistory } from '../../src/operator/products/product-history.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

const PLACEMENTS = { placements: [{ placement_id: 'top', name: 'Top' }] }

let agent: MediaBuyAgent
let ada: ConsoleClient
let base: string
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', PLACEMENTS as object), productDocument('sport')])
  ada = await signedIn(agent, 'ada', 'ad_operations', agent.tenant)
  base = `/console/t/${agent.tenant}/products`
})
afterAll(() => agent?.stop())

const operator = () => operatorOn(agent.server.store, agent.config)
const product = (id: string) => performAs(operator(), agent.tenant, showProduct, { product: id })
const NEW = {
  name: 'Home page',
  description: 'Above the news, "every day"',
  channels: 'display|ctv',
  delivery_type: 'guaranteed',
  format_ids: 'display_300x250',
  publisher_domain: 'daily.example',
  daily_capacity: '1000',
  available_until: '2026-12-31',
  countries: 'DE|AT',
}
const price = (index: number, cells: Record<string, string>) =>
  Object.fromEntries(Object.entries({ currency: 'USD', ...cells }).map(([name, value]) => [`price-${index}-${name}`, value]))
async function add(id: string, cells: Record<string, string>) {
  const { text } = await ada.get(`${base}/new`)
  return ada.postAll(`${base}/new`, filledIn(formFields(text, 'products/new'), { ...NEW, product_id: id, ...cells }))
}

describe('a product by a form', () => {
  it.each([
    ['cpm', { price: '12.5', min_spend: '500' }],
    ['vcpm', { price: '15' }],
    ['cpc', { floor: '0.2' }],
    ['cpcv', { price: '0.05' }],
    ['cpv', { price: '0.02', view_threshold: '0.5' }],
    ['cpp', { price: '200', demographic_system: 'nielsen', demographic: 'P18-49' }],
    ['cpa', { price: '9', event_type: 'purchase' }],
    ['flat_rate', { price: '10000' }],
    ['time', { price: '100', time_unit: 'day' }],
  ])('is added with a price by %s', async (model, cells) => {
    const answer = await add(`by-${model}`, price(0, { pricing_model: model, ...cells }))
    expect([answer.status, answer.text]).toEqual([303, expect.any(String)])
    expect(await product(`by-${model}`)).toMatchObject({
      ...{ name: 'Home page', description: NEW.description, channels: ['display', 'ctv'], format_ids: ['display_300x250'] },
      pricing_options: [{ pricing_model: model, currency: 'USD' }],
      selling: { daily_capacity: 1000, available_until: '2026-12-31', coverage: { countries: ['DE', 'AT'] } },
    })
  })

  it('with something wrong is not saved, says what, and keeps what was written', async () => {
    const { status, text } = await add('wrong', { daily_capacity: 'many', ...price(0, { pricing_model: 'cpm', price: '5' }) })
    expect(status).toBe(400)
    expect(text).toMatch(/Nothing was saved:.*daily_capacity/s)
    expect(text).toContain('value="many"')
    expect(text).toContain('value="DE|AT"')
    await expect(product('wrong')).rejects.toThrow('there is no product')
    expect((await add('news', price(0, { pricing_model: 'cpm', price: '5' }))).text).toContain('there is a product news')
  })

  it('is changed where the form differs, and nothing else of it', async () => {
    const before = await product('news')
    const { text } = await ada.get(`${base}/news/edit`)
    const filled = filledIn(formFields(text, 'news/edit'), {
      name: 'News, new',
      ...price(1, { pricing_model: 'cpc', price: '0.4' }),
    })
    expect((await ada.postAll(`${base}/news/edit`, filled)).status).toBe(303)
    const after = await product('news')
    expect(after).toMatchObject({
      ...before,
      name: 'News, new',
      pricing_options: [...before.pricing_options, { pricing_model: 'cpc' }],
    })
    await agent.server.audit.settled()
    const [entry] = (await listAuditEntries(operator(), agent.tenant, { limit: 20 })).filter(
      ({ task }) => task === 'products.save',
    )
    expect(JSON.stringify(entry)).toContain('News, new')
    // Somebody who opened it before the change is told what it is now, and puts back nothing that they did not change.
    const late = await ada.postAll(`${base}/news/edit`, filledIn(formFields(text, 'news/edit'), { name: 'News, late' }))
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('Name is &quot;News, new&quot; by now')])
    expect(await product('news')).toEqual(after)
    expect((await ada.postAll(`${base}/news/edit`, formFields(late.text, 'news/edit'))).status).toBe(303)
    expect(await product('news')).toEqual({ ...after, name: 'News, late' })
  })

  it('is copied under another id', async () => {
    const { text } = await ada.get(`${base}/new?from=sport`)
    const answer = await ada.postAll(`${base}/new`, filledIn(formFields(text, 'products/new'), { product_id: 'sport-2' }))
    expect(answer.location).toContain('/products/sport-2')
    const [sport, copy] = [await product('sport'), await product('sport-2')]
    expect(copy).toMatchObject({
      pricing_options: sport.pricing_options,
      format_ids: sport.format_ids,
      name: `Copy of ${sport.name}`,
    })
  })

  it('is not there for those who only read', async () => {
    const vera = await signedIn(agent, 'vera', 'viewer', agent.tenant)
    expect((await vera.get(`${base}/new`)).status).toBe(403)
    expect((await vera.get(`${base}/news`)).text).not.toContain('/news/edit')
  })

  it('is sold on placements that are picked, each with the formats that it shows', async () => {
    const place = (placement: string, more: object) =>
      performAs(operator(), agent.tenant, savePlacement, { placement, name: `The ${placement}`, ...more })
    await place('rail', { sizes: ['300x250'] })
    await place('board', { sizes: ['970x250'] })
    await place('player', { kind: 'video' })
    const edit = async (values: Record<string, string>) => {
      const { text } = await ada.get(`${base}/sport/edit`)
      return ada.postAll(`${base}/sport/edit`, filledIn(formFields(text, 'sport/edit'), values))
    }
    const formats = { format_ids: 'display_300x250|display_970x250|display_970x250_html5' }
    expect((await edit({ ...formats, placements: 'rail|board' })).status).toBe(303)
    expect((await product('sport')).placements).toEqual([
      { placement_id: 'rail', name: 'The rail', format_ids: ['display_300x250'] },
      { placement_id: 'board', name: 'The board', format_ids: ['display_970x250', 'display_970x250_html5'] },
    ])
    const refused = await edit({ placements: 'rail|player' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('player shows video')])
    expect((await ada.get(`${base}/sport`)).text).toContain('placements/rail')
    expect((await edit({ placements: '' })).status).toBe(303)
    expect(await product('sport')).not.toHaveProperty('placements')
  })

  it('has a page with its versions: who changed what, old and new', async () => {
    await agent.server.audit.settled()
    const { items } = await performAs(operator(), agent.tenant, productHistory, { product: 'sport', limit: 1 })
    expect(items).toEqual([{ at: expect.any(String), by: expect.any(String), act: 'products.save', changes: expect.any(Array) }])
    expect(items[0]?.changes).toContainEqual({
      field: 'placements[rail].name',
      before: 'The rail',
      after: null,
    })
    const { text } = await ada.get(`${base}/news/history`)
    expect(text).toMatch(/<b>name<\/b>: news → News, new/)
    expect(text).toContain('saved the product')
    expect((await ada.get(`${base}/news`)).text).toContain('products/news/history')
  })
})

it('a form that does not hold all prices of a product changes none of them', async () => {
  const options = Array.from({ length: 8 }, (_none, at) => ({
    ...{ pricing_option_id: `p${at}`, pricing_model: 'cpm', currency: 'USD', fixed_price: at + 1 },
  }))
  const document = { version: 1, products: [{ ...productDocument('many'), pricing_options: options }] }
  await performAs(operator(), agent.tenant, importProductFile, { document })
  const { text } = await ada.get(`${base}/many/edit`)
  const form = formFields(text, 'many/edit')
  const refused = await ada.postAll(`${base}/many/edit`, filledIn(form, { 'price-0-price': '99' }))
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('many has 8 prices and this form takes 6')])
  expect((await ada.postAll(`${base}/many/edit`, filledIn(form, { name: 'Many prices' }))).status).toBe(303)
  expect(await product('many')).toMatchObject({ name: 'Many prices', pricing_options: options })
})
