import { afterAll, beforeAll, expect, it } from 'vitest'
import schema from '../../schemas/direct-order.json' with { type: 'json' }
import { MEMBER_OF } from '../../src/ad-serving/embedded/direct-targeting.ts'
import { LIST_TARGETING } from '../../src/ad-serving/embedded/line-lists.ts'
import { KEPT_TARGETING } from '../../src/ad-serving/embedded/line-terms.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { directOrderLines } from '../../src/operator/direct-orders/direct-order-shapes.ts'
import { setSettings } from '../../src/operator/tenants/tenant-acts.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { changeDirectOrder, enterDirectOrder, showDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let ada: ConsoleClient
let ben: ConsoleClient
let base: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')], { clock: () => now })
  ada = await signedIn(agent, 'ada', 'administrator')
  ben = await signedIn(agent, 'ben', 'ad_operations', agent.tenant)
  base = `/console/t/${agent.tenant}`
})
afterAll(() => agent.stop())

const EVERYTHING = {
  countries: ['DE', 'AT'],
  countries_exclude: ['CH'],
  regions: ['DE-BY'],
  regions_exclude: ['DE-BE'],
  devices: ['mobile', 'dooh'],
  devices_exclude: ['ctv'],
  platforms: ['ios', 'roku_os'],
  browsers: ['chrome', 'samsung internet'],
  languages: ['de', 'en'],
  dayparts: [
    { days: ['monday', 'tuesday', 'wednesday'], start_hour: 6, end_hour: 22 },
    { days: ['saturday', 'friday'], start_hour: 0, end_hour: 24 },
  ],
  audiences: ['sports fans', 'a,b'],
  audiences_exclude: ['kids'],
  keywords: ['running shoes'],
  keywords_exclude: ['accident'],
  key_values: { section: ['sport', 'news'], paid: ['1'] },
  labels: ['Running shoes'],
  frequency_cap: { max_impressions: 3, window: { interval: 36, unit: 'hours' } },
}

const size = { width: 300, height: 250 }
const CREATIVES = [
  { creative_id: 'code', html: '<p>"Buy" & go</p>', ...size, click_url: 'https://brand.example/?a=1&b=2' },
  { creative_id: 'film', video: { url: 'https://cdn.example/film', duration_seconds: 15.5, mime_type: 'video/webm' }, ...size },
  { creative_id: 'photo', weight: 70, image: { url: 'https://cdn.example/a.png', alt: 'A "shoe"' }, ...size },
  { creative_id: 'post', native: { title: 'Shoes', body: 'Two <of> them' }, click_url: 'https://brand.example/' },
  { creative_id: 'tag', vast: 'https://vast.example/tag?x=1' },
]

/** A document of an order; times within a day, as files have them. */
const order = (order_id: string, more: object = {}) => ({
  order_id,
  name: 'Spring "sale"',
  advertiser: 'Shoes & Co',
  currency: 'EUR',
  lines: [
    {
      line_id: 'front',
      product_id: 'news',
      priority: 'guaranteed',
      starts_at: '2026-03-02T09:30:00.000Z',
      ends_at: '2026-03-12T18:00:00.000Z',
      impressions: 4_000,
      cpm: 4.5,
      pacing: 'front_loaded',
      targeting: EVERYTHING,
      creatives: CREATIVES,
      ...more,
    },
  ],
})
const operator = () => ({ ...operatorOn(agent.server.store, agent.config), clock: () => now })
const enter = (document: object) =>
  enterDirectOrder(operator(), agent.tenant, { name: 'order.json', text: JSON.stringify(document) })
const shown = (id: string) => showDirectOrder(operator(), agent.tenant, id)
const path = (id: string) => `${base}/direct-orders/${id}/edit`

async function opened(person: ConsoleClient, id: string) {
  const { status, text } = await person.get(path(id))
  expect(status, text).toBe(200)
  return formFields(text, path(id))
}

it('says in its form every dimension that the ad server declares, and nothing that it does not', () => {
  const own = ['browsers', 'keyValues', 'labels']
  const lists: readonly string[] = LIST_TARGETING
  const declared = KEPT_TARGETING.filter((each) => !lists.includes(each))
  expect(Object.keys(MEMBER_OF).toSorted()).toEqual([...declared, ...own].toSorted())
  const members = Object.keys(schema.definitions.targeting.properties)
  expect(Object.values<string>(MEMBER_OF).toSorted()).toEqual(members.toSorted())
  expect(Object.keys(EVERYTHING).toSorted()).toEqual(members.toSorted())
})

it('fills the form with the whole order, and saves nothing else than what was typed', async () => {
  await enter(order('whole'))
  const fields = await opened(ada, 'whole')
  const same = await ada.postAll(path('whole'), fields)
  expect(same.text).toContain('nothing would change')
  const before = await shown('whole')
  const changed = filledIn(fields, { name: 'Summer', 'line-0-impressions': '8000', 'line-0-countries': 'de, fr' })
  const review = await ada.postAll(path('whole'), changed)
  expect(review.status).toBe(200)
  for (const text of ['Summer', '4,000', '8,000', 'DE, FR', '4,000 more impressions are held', '€18.00', '€36.00'])
    expect(review.text).toContain(text)
  expect(await shown('whole')).toEqual(before)
  const filled = formFields(review.text, path('whole'))
  const lost = await ada.postAll(path('whole'), [...filled.filter(([name]) => name !== 'revision'), ['do', 'save']])
  expect([lost.status, lost.text]).toEqual([400, expect.stringContaining('revision must be a whole number')])
  expect(await shown('whole')).toEqual(before)
  const saved = await ada.postAll(path('whole'), [...filled, ['do', 'save']])
  expect([saved.status, saved.location]).toEqual([303, `${base}/direct-orders/whole?done=changed`])
  const { document, history } = await shown('whole')
  const wanted = order('whole', { impressions: 8_000, targeting: { ...EVERYTHING, countries: ['DE', 'FR'] } })
  expect(document).toEqual({ ...wanted, name: 'Summer' })
  expect(history[0]).toMatchObject({ revision: 2, person: 'console:ada', at: now.toISOString() })
  expect(history[0]?.summary).toEqual([
    'name: Spring "sale" → Summer',
    'front, impressions: 4000 → 8000',
    'front, countries: DE, AT → DE, FR',
  ])
  const page = (await ada.get(`${base}/direct-orders/whole`)).text
  expect(page).toContain('front, impressions: 4000 → 8000')
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator(), agent.tenant, { task: 'direct-orders.change', limit: 1 })
  expect(entry).toMatchObject({ principal: 'person:ada', subject: 'whole', outcome: 'ok', transport: 'console' })
})

it('copies an order into the form of a new one, on later days where its own are over', async () => {
  await enter(order('spring', { starts_at: '2026-02-20T09:30:00.000Z', ends_at: '2026-03-02T18:00:00.000Z' }))
  const form = `${base}/direct-orders/~enter?copy=spring`
  const page = await ada.get(form)
  expect(page.status, page.text).toBe(200)
  const fields = formFields(page.text, `${base}/direct-orders`)
  const first = fields.find(([name]) => name === 'line-0-first')?.[1] ?? ''
  const last = fields.find(([name]) => name === 'line-0-last')?.[1] ?? ''
  expect(first > now.toISOString().slice(0, 10)).toBe(true)
  const entered = await ada.postAll(`${base}/direct-orders`, filledIn(fields, { order_id: 'autumn' }))
  expect([entered.status, entered.location], entered.text).toEqual([303, `${base}/direct-orders/autumn?done=added`])
  const [{ document: copy }, { document: source }] = [await shown('autumn'), await shown('spring')]
  const { starts_at, ends_at, ...line } = copy.lines[0] ?? { starts_at: '', ends_at: '' }
  const { starts_at: _start, ends_at: _end, ...own } = source.lines[0] ?? { starts_at: '', ends_at: '' }
  expect([copy.name, copy.advertiser, line]).toEqual([source.name, source.advertiser, own])
  expect(Date.parse(last) - Date.parse(first)).toBe(Date.parse('2026-03-02') - Date.parse('2026-02-20'))
  expect(starts_at.slice(0, 10) <= first && ends_at.slice(0, 10) >= last).toBe(true)
})

it('adds and removes lines by ids that the order never had', async () => {
  const line = { ...order('lines').lines[0], targeting: { countries: ['DE'] } }
  const two = [
    { ...line, line_id: 'line-1' },
    { ...line, line_id: 'line-2' },
  ]
  await enter({ ...order('lines'), lines: two })
  const removed = await ada.postAll(path('lines'), [...(await opened(ada, 'lines')), ['do', 'remove-line-1']])
  const review = await ada.postAll(path('lines'), formFields(removed.text, path('lines')))
  expect(review.text).toContain('line-2 ends')
  await ada.postAll(path('lines'), [...formFields(review.text, path('lines')), ['do', 'save']])
  const added = await ada.postAll(path('lines'), [...(await opened(ada, 'lines')), ['do', 'add-line']])
  const picture = {
    'line-1-creative-0-url': 'https://cdn.example/b.png',
    'line-1-creative-0-width': '1',
    'line-1-creative-0-height': '1',
  }
  const filled = filledIn(formFields(added.text, path('lines')), { ...picture, 'line-1-impressions': '50' })
  await ada.postAll(path('lines'), [...filled, ['do', 'save']])
  const { lines, document } = await shown('lines')
  expect(document.lines.map(({ line_id }) => line_id)).toEqual(['line-1', 'line-3'])
  expect(lines.find(({ line_id }) => line_id === 'line-2')?.state).toBe('ended')
})

it('lets one of two people who edit at once win, and tells the other one', async () => {
  await enter(order('both'))
  const [first, second] = [await opened(ada, 'both'), await opened(ben, 'both')]
  await ben.postAll(path('both'), [...filledIn(second, { name: 'Of Ben' }), ['do', 'save']])
  const late = await ada.postAll(path('both'), [...filledIn(first, { name: 'Of Ada' }), ['do', 'save']])
  expect(late.status).toBe(409)
  expect(late.text).toContain('Nothing of yours was saved')
  expect(late.text).toContain('ben Example changed the direct order')
  expect((await shown('both')).name).toBe('Of Ben')
  const fields = formFields(late.text, path('both'))
  expect(fields).toContainEqual(['name', 'Of Ada'])
  const review = await ada.postAll(path('both'), fields)
  expect(review.text).toContain('Of Ben')
  await ada.postAll(path('both'), [...formFields(review.text, path('both')), ['do', 'save']])
  expect((await shown('both')).name).toBe('Of Ada')
})

it('is refused with what is wrong, for an order that has ended, and for people who only read', async () => {
  await enter(order('wrong'))
  const fields = await opened(ada, 'wrong')
  const late = await ada.postAll(path('wrong'), filledIn(fields, { 'line-0-last': '2026-03-01', 'line-0-dayparts': 'never' }))
  expect(late.status).toBe(400)
  expect(late.text).toContain('is not of the form monday-friday 6-22')
  const ends = await ada.postAll(path('wrong'), filledIn(fields, { 'line-0-last': '2026-03-01' }))
  expect(ends.text).toContain('is not after starts_at')
  const viewer = await signedIn(agent, 'vera', 'viewer', agent.tenant)
  expect((await viewer.get(path('wrong'))).status).toBe(403)
  await changeDirectOrder(operator(), agent.tenant, 'wrong', 'ended')
  expect((await ada.get(path('wrong'))).text).toContain('has ended')
})

it('names the commands for an order that the form cannot say', async () => {
  const [line] = order('long').lines
  const lines = Array.from({ length: 21 }, (_, index) => ({ ...line, line_id: `l${index}`, impressions: 1 }))
  await enter({ ...order('long'), lines })
  const { text } = await ada.get(path('long'))
  expect(text).toContain('direct-orders show long')
  expect(text).not.toContain('<textarea')
})

it('opens an order that is called new, and says its days as the command line and the sheet do', async () => {
  await enter({
    ...order('new'),
    lines: [{ ...order('new').lines[0], starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-03-13T00:00:00Z' }],
  })
  const { status, text } = await ada.get(`${base}/direct-orders/new`)
  expect([status, text.includes('Spring &quot;sale&quot;')]).toEqual([200, true])
  expect(text.replaceAll(/<[^>]+>/g, '')).toContain('2 Mar 2026 – 12 Mar 2026')
  const read = await shown('new')
  expect(read.lines[0]?.flight).toEqual({
    first: { day: '2026-03-02', time: null },
    last: { day: '2026-03-12', time: null },
    time_zone: 'UTC',
  })
  expect(directOrderLines(read).join()).toContain('2026-03-02 – 2026-03-12')
  const hours = directOrderLines(await shown('whole')).join()
  expect(hours).toContain('2026-03-02 09:30 – 2026-03-12 18:00')
  expect((await ada.get(`${base}/direct-orders/whole`)).text.replaceAll(/<[^>]+>/g, '')).toContain(
    '2 Mar 2026, 09:30 – 12 Mar 2026, 18:00',
  )
})

it('is in the currency of the publisher unless it names one, and keeps its own when it is changed', async () => {
  const { currency: _currency, ...plain } = order('money')
  await performAs(operator(), agent.tenant, setSettings, { currency: 'SEK' })
  await enter(plain)
  expect((await shown('money')).currency).toBe('SEK')
  await performAs(operator(), agent.tenant, setSettings, { currency: 'NOK' })
  await enter({ ...plain, name: 'Other' })
  expect(await shown('money')).toMatchObject({ name: 'Other', currency: 'SEK' })
})
