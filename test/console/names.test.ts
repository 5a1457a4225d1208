import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let person: ConsoleClient
let base: string
let id: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news', { name: 'News page' }),
    productDocument('fixed', { allowed_actions: [{ action: 'pause', modes: ['self_serve'] }] }),
  ])
  person = await signedIn(agent, 'trafficker', 'ad_operations', agent.tenant)
  base = `/console/t/${agent.tenant}`
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'c-1', { name: 'Spring banner' })] })
  const creative_assignments = [{ creative_id: 'c-1' }]
  const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1234, creative_assignments }]
  id = String((await agent.create({ packages })).data.media_buy_id)
})
afterAll(() => agent.stop())

it('the page of an order has the names of what was bought, pictures of creatives, and what each act means', async () => {
  const { text } = await person.get(`${base}/orders/${id}`)
  for (const shown of ['News page', 'Spring banner', 'class="thumb" src="https://', 'c/o']) expect(text).toContain(shown)
  expect((await person.get(`${base}/orders/${id}/cancel`)).text).toContain('it cannot be resumed')
  expect((await person.get(`${base}/orders/${id}/pause`)).text).toContain('The end of the flight stays as it is')
  const until = (day: string) => person.get(`${base}/orders/${id}/extend?until=${day}`)
  expect((await until('2026-02-30')).text).toContain('There is no day 2026-02-30')
  const late = await person.post(`${base}/orders/${id}/extend`, { revision: '1', until: '2026-02-30' })
  expect([late.status, late.text]).toEqual([400, expect.stringContaining('There is no day 2026-02-30')])
  const stale = await person.post(`${base}/orders/${id}/pause`, { revision: '9' })
  expect([stale.text.includes('look at it again'), stale.text.includes('get_media_buys')]).toEqual([true, false])
  const bought = await person.get(`${base}/orders?buyer=buyer`)
  expect(bought.text).toContain('<option value="buyer" selected>')
})

it('the buttons of an order are what its state and its products allow', async () => {
  const packages = [{ product_id: 'fixed', pricing_option_id: 'cpm', budget: 1000 }]
  const fixed = String((await agent.create({ packages })).data.media_buy_id)
  const buttons = async (order: string) => {
    const { text } = await person.get(`${base}/orders/${order}`)
    return [...text.matchAll(new RegExp(`href="${base}/orders/${order}/([a-z]+)">`, 'g'))].map(([, action]) => action)
  }
  const others = ['terms']
  expect(await buttons(fixed)).toEqual(['pause', ...others])
  expect(await buttons(id)).toEqual(['pause', 'extend', 'cancel', ...others])
  await person.post(`${base}/orders/${id}/pause`, { revision: '1' })
  expect(await buttons(id)).toEqual(['resume', 'extend', 'cancel', ...others])
  await person.post(`${base}/orders/${id}/resume`, { revision: '2' })
})

it('the activity says which order a buyer placed, for how much and for which account', async () => {
  await agent.server.audit.settled()
  const { text } = await person.get(`${base}/activity?what=create_media_buy`)
  expect(text).toMatch(
    new RegExp(`placed an order <a href="${base}/orders/${id}">[^<]+</a> of \\$1,234.00 for [^<]+ c/o [^<]+ <small>${id}`),
  )
})

const LINE = {
  product_id: 'news',
  priority: 'guaranteed',
  first: '2026-03-02',
  last: '2026-03-09',
  impressions: '5000',
  cpm: '4,5',
  'creative-0-kind': 'picture',
  'creative-0-url': 'https://cdn.brand.example/spring.png',
  'creative-0-click_url': 'https://brand.example/',
  'creative-0-width': '300',
  'creative-0-height': '250',
}
const fieldsOf = (line: number, values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`line-${line}-${name}`, value]))
const DIRECT = { order_id: 'spring', name: 'Spring sale', currency: 'USD', ...fieldsOf(0, LINE) }

it('a direct order is entered, listed, paused, resumed and ended; one of the same id is refused, and what is wrong is named', async () => {
  await person.get(`${base}/direct-orders/~enter`)
  const wrong = await person.post(`${base}/direct-orders`, { ...DIRECT, 'line-0-impressions': '' })
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringMatching(
      /<b>Line 1, impressions<\/b>: a guaranteed line needs a goal[\s\S]*value="https:\/\/cdn\.brand\.example\/spring\.png"/,
    ),
  ])
  const late = await person.post(`${base}/direct-orders`, { ...DIRECT, 'line-0-last': '2026-02-01' })
  expect(late.text).toContain('is not after starts_at')
  const several = {
    ...DIRECT,
    'line-0-cpm': 'cheap',
    'line-0-creative-0-width': '',
    'line-0-first': 'soon',
    'line-0-last': '2026-02-30',
  }
  const { text: found } = await person.post(`${base}/direct-orders`, several)
  for (const shown of [
    '4 to repair',
    'Line 1, creative 1, width in pixels',
    '&quot;soon&quot; is no day',
    '&quot;2026-02-30&quot; is no day',
    '&quot;cheap&quot; is no number',
  ])
    expect(found).toContain(shown)
  const numbers = { ...DIRECT, order_id: 'numbers', 'line-0-cpm': '1,200', 'line-0-impressions': '250,5' }
  const { text: ambiguous } = await person.post(`${base}/direct-orders`, numbers)
  for (const shown of [
    '1,200 can be read in two ways: write 1200 or 1.2000',
    '&quot;250,5&quot; is no whole number',
    'value="1,200"',
  ])
    expect(ambiguous).toContain(shown)
  expect((await person.post(`${base}/direct-orders`, DIRECT)).location).toBe(`${base}/direct-orders/spring?done=added`)
  expect((await person.post(`${base}/direct-orders`, DIRECT)).text).toContain('there is a direct order spring already')
  expect((await person.get(`${base}/direct-orders`)).text).toContain('Spring sale')
  const { text } = await person.get(`${base}/direct-orders/spring`)
  for (const shown of ['line-1', 'of 5,000', 'End it for good']) expect(text).toContain(shown)
  for (const [act, revision, state] of [
    ['paused', '1', 'pending start</span> <span class="badge warn">paused</span></h1>'],
    ['paused', '1', 'pending start</span> <span class="badge warn">paused</span></h1>'],
    ['active', '2', 'pending start</span></h1>'],
    ['ended', '2', 'pending start</span></h1>'],
    ['ended', '3', 'canceled</span></h1>'],
  ] as const) {
    await person.post(`${base}/direct-orders/spring/${act}`, { revision })
    expect((await person.get(`${base}/direct-orders/spring`)).text).toMatch(
      new RegExp(`Spring sale <span class="badge \\w+">${state}`),
    )
  }
  expect((await person.post(`${base}/direct-orders/spring/active`, { revision: '4' })).text).toContain('has ended')
  expect((await person.post(`${base}/direct-orders/spring/active`, { revision: '3' })).text).toContain('is at revision 4, not 3')
})

it('lines and creatives are added and removed with what was typed, and all of them are served', async () => {
  const press = (fields: Record<string, string>, button: string) =>
    person.post(`${base}/direct-orders`, { ...fields, do: button })
  const { text: two } = await press(DIRECT, 'add-line')
  for (const shown of ['value="Spring sale"', 'value="https://cdn.brand.example/spring.png"', 'Line 2', 'Remove line 1'])
    expect(two).toContain(shown)
  expect(two).toMatch(/<select id="line-1-product_id" name="line-1-product_id" autofocus>/)
  expect((await person.get(`${base}/direct-orders`)).text).not.toContain('autumn')
  const { text: tag } = await press({ ...DIRECT, 'line-0-new_kind': 'tag' }, 'add-creative-0')
  expect(tag).toMatch(/<textarea id="line-0-creative-1-html"[^>]* required autofocus>/)
  const both = { ...DIRECT, ...fieldsOf(1, { ...LINE, impressions: '77' }) }
  const { text: one } = await press(both, 'remove-line-0')
  expect(one).toContain('value="77"')
  expect(one).not.toContain('Line 2')

  const archive = await person.upload(`${base}/creatives/files`, {
    name: 'banner.zip',
    text: new Uint8Array(
      zipSync({ 'banner/index.html': strToU8('<!doctype html><p>Autumn</p>'), 'banner/a.css': strToU8('p{}') }),
    ),
  })
  const address = /href="(https?:[^"]+\/banner\/index\.html)"/.exec(archive.text)?.[1] ?? ''
  const size = { width: '300', height: '250' }
  const creatives: readonly Record<string, string>[] = [
    { kind: 'html5', url: address, ...size },
    { kind: 'tag', html: '<script src="https://tags.example/a.js"></script>', ...size },
    { kind: 'native', title: 'Autumn', click_url: 'https://brand.example/' },
    { kind: 'video', url: 'https://cdn.brand.example/a.webm', duration_seconds: '15', width: '640', height: '360' },
    { kind: 'vast', url: 'https://tags.example/vast.xml' },
  ]
  const many = Object.assign(
    {},
    ...creatives.map((values, at) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [`line-1-creative-${at}-${name}`, value])),
    ),
  )
  const { 'creative-0-kind': _kind, ...head } = LINE
  const second = Object.fromEntries(Object.entries(head).filter(([name]) => !name.startsWith('creative-')))
  const targeted = { ...second, countries: 'de, AT', devices: 'mobile', key_values: 'section=sport|news' }
  const autumn = { ...DIRECT, ...fieldsOf(1, targeted), ...many, order_id: 'autumn', name: 'Autumn sale' }
  const elsewhere = { ...autumn, 'line-1-creative-0-url': 'https://elsewhere.example/index.html' }
  expect((await person.post(`${base}/direct-orders`, elsewhere)).text).toMatch(
    /<b>Line 2, creative 1, html5 url<\/b>: is not the page of an HTML5/,
  )
  const entered = await person.post(`${base}/direct-orders`, autumn)
  expect([entered.location, entered.text]).toEqual([`${base}/direct-orders/autumn?done=added`, ''])
  const stored = await agent.server.store.read.selectFrom('embedded_creatives').select('document').execute()
  const kinds = stored.map(({ document }) => JSON.parse(document).terms.content.kind)
  expect(kinds.sort()).toEqual(['bundle', 'html', 'image', 'image', 'native', 'vast', 'video'])
  const lines = await agent.server.store.read.selectFrom('embedded_lines').select('document').execute()
  expect(lines.map(({ document }) => JSON.parse(document).terms.targeting)).toContainEqual({
    geo_countries: ['DE', 'AT'],
    device_type: ['mobile'],
    keyValues: { section: ['sport', 'news'] },
  })
})
