import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let finance: ConsoleClient
let viewer: ConsoleClient
let now = new Date('2026-03-01T12:00:00.000Z')
let base = ''

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  await agent.run('sync_creatives', { creatives: [{ creative_id: 'a', name: 'A', format_id, assets: { image, click_url } }] })
  const packages = [
    { product_id: 'news', pricing_option_id: 'cpm', budget: 333.33, creative_assignments: [{ creative_id: 'a' }] },
  ]
  const { isError, data } = await agent.create({ packages })
  if (isError) throw new Error(JSON.stringify(data))
  now = new Date('2026-04-02T08:00:00.000Z')
  finance = await signedIn(agent, 'finance', 'finance', agent.tenant)
  viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
  base = `/console/t/${agent.tenant}/billing`
})
afterAll(() => agent.stop())

it('a month is closed once, by those who decide on money', async () => {
  expect((await finance.get(base)).text).toContain('value="2026-03"')
  expect((await viewer.get(base)).text).not.toContain('Show what closing means')
  const looked = await viewer.get(`${base}/close?month=2026-03`)
  expect([looked.status, looked.text.includes('$333.33'), looked.text.includes('name="digest"')]).toEqual([200, true, false])
  expect((await viewer.post(`${base}/close`, { month: '2026-03' })).status).toBe(403)
  expect((await finance.post(`${base}/close`, { month: '2026-04' })).text).toContain('has not ended yet')
  const { text } = await finance.get(`${base}/close?month=2026-03`)
  for (const shown of ['$333.33', '2026-03-0001', 'has no billing entity', 'Nothing is stored yet']) expect(text).toContain(shown)
  const lines = await viewer.get(`${base}/close/lines?month=2026-03&invoice=2026-03-0001`)
  expect([lines.status, lines.text.includes('Lines of 2026-03-0001')]).toEqual([200, true])
  for (const shown of ['33,333 impressions', '$10.00 / 1,000', '$333.33', '/orders/mb_']) expect(lines.text).toContain(shown)
  expect((await viewer.get(base)).text).toContain('No month is closed yet')
  const digest = /name="digest" value="(\w+)"/.exec(text)?.[1] ?? ''
  for (const seen of [{ digest: 'other' }, {}]) {
    const overtaken = await finance.post(`${base}/close`, { month: '2026-03', ...seen })
    expect([overtaken.status, overtaken.text]).toEqual([409, expect.stringContaining('preview it again')])
  }
  expect((await finance.post(`${base}/close`, { month: '2026-03', digest })).location).toBe(`${base}?done=closed`)
  const again = await finance.post(`${base}/close`, { month: '2026-03' })
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('is closed already')])
})

it('an invoice shows its lines, and its CSV adds up to it to the micro', async () => {
  const list = await viewer.get(base)
  expect(list.text).toContain('2026-03-0001')
  const { text, status } = await viewer.get(`${base}/2026-03-0001`)
  expect(status).toBe(200)
  expect(text).toContain('333.33 USD')
  expect(text).toMatch(/orders\/mb_[\w-]+">news</)
  const csv = await viewer.get(`${base}/2026-03-0001/csv`)
  expect(csv.headers.get('content-type')).toContain('text/csv')
  const amounts = csv.text
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => Math.round(Number(line.split(',').at(-1)) * 1e6))
  expect(amounts.reduce((sum, micros) => sum + micros, 0)).toBe(333_330_000)
  expect((await viewer.get(`${base}/2026-03-9999`)).status).toBe(404)
})

it('a payment is recorded and taken back on the page of its invoice, and the list shows how it stands', async () => {
  const path = `${base}/2026-03-0001`
  expect((await finance.get(base)).text).toMatch(/Open in USD[\s\S]{0,80}\$333\.33/)
  const shown = await viewer.get(path)
  expect(shown.text).not.toContain('Record the payment')
  expect((await viewer.post(`${path}/payments`, { amount: '1' })).status).toBe(403)
  await finance.get(path)
  const refused = await finance.post(`${path}/payments`, { amount: '400', reference: 'bank 7' })
  expect(refused.status).toBe(400)
  for (const kept of ['at most what is open, 333.33 USD', 'value="bank 7"']) expect(refused.text).toContain(kept)
  const twoWays = await finance.post(`${path}/payments`, { amount: '1,200' })
  for (const kept of ['can be read in two ways', 'value="1,200"']) expect(twoWays.text).toContain(kept)
  const paid = await finance.post(`${path}/payments`, { amount: '100,03', date: '2026-04-02', reference: 'bank 7' })
  expect(paid.location).toBe(`${path}?done=paid`)
  const { text } = await finance.get(path)
  for (const part of ['part paid', '$233.30', 'bank 7', '2 Apr 2026']) expect(text).toContain(part)
  expect((await viewer.get(`${base}?state=part_paid`)).text).toContain('2026-03-0001')
  expect((await viewer.get(`${base}?state=paid`)).text).toContain('No invoice is in this state')
  const [takeBack = ''] = /[^"]+\/take-back/.exec(text) ?? []
  expect((await finance.post(takeBack, { reason: ' ' })).text).toContain('reason is required')
  expect((await finance.post(takeBack, { reason: 'another invoice' })).location).toBe(`${path}?done=takenback`)
  const after = await finance.get(path)
  expect(after.text).toMatch(/Taken back by console:finance[^<]*: another invoice/)
  expect(after.text).not.toContain('/take-back')
  expect((await finance.post(takeBack, { reason: 'again' })).text).toContain('was taken back before')
})

it('what invoices say of the publisher is stored by those who decide on money, and refused with its reason', async () => {
  expect((await viewer.get(`${base}/details`)).text).not.toContain('<form method="post" action="/console/t/acme/billing/details"')
  expect((await viewer.post(`${base}/details`, { legal_name: 'X' })).status).toBe(403)
  const wrong = { legal_name: 'Acme Media AB', country: 'SE', vat_id: '?', payment_days: '20', tax_rules: 'NO=0' }
  const save = (values: Record<string, string>) => finance.fillIn(`${base}/details`, 'billing/details', values)
  const refused = await save(wrong)
  expect(refused.status).toBe(400)
  for (const kept of ['vat_id must be', 'value="Acme Media AB"', 'NO=0']) expect(refused.text).toContain(kept)
  expect((await save({ ...wrong, vat_id: 'SE 556677-8899 01' })).location).toContain('done=changed')
  const { text } = await viewer.get(`${base}/details`)
  for (const shown of ['Acme Media AB', 'SE556677889901', 'NO=0']) expect(text).toContain(shown)
})

it('reports are in the currency and the days that the publisher has', async () => {
  const page = await viewer.get(`/console/t/${agent.tenant}/reports?first=2026-03-01&last=2026-03-31`)
  expect(page.text).toContain('$333.33')
  expect(page.text).toContain('Days in UTC')
})

it('home has the revenue of today, 7 and 30 days beside what was before', async () => {
  now = new Date('2026-03-12T08:00:00.000Z')
  const { text } = await viewer.get(`/console/t/${agent.tenant}/home`)
  for (const title of ['Revenue today', 'In 7 days', 'In 30 days']) expect(text).toContain(title)
  expect(text).toMatch(/In 30 days<\/p><p class="value"><span class="line">\$333\.33/)
  now = new Date('2026-04-02T08:00:00.000Z')
})

it('charges are entered and taken back by those who decide on money; a refusal says why', async () => {
  const path = `${base}/charges`
  expect((await viewer.get(path)).text).toContain('No such charge')
  expect((await viewer.get(path)).text).not.toContain('Put it on the next invoice')
  expect((await viewer.post(path, { order: 'x', amount: '1', reason: 'y' })).status).toBe(403)
  const [order = ''] = /mb_[\w-]+/.exec((await finance.get(`${base}/2026-03-0001`)).text) ?? []
  const refused = await finance.post(path, { order, amount: '0', reason: 'late <b>files</b>' })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('amount must be more than 0')
  expect(refused.text).toContain('value="late &lt;b&gt;files&lt;/b&gt;"')
  const done = await finance.post(path, { order, amount: '12.50', credit: 'credit', reason: 'late files' })
  expect(done.location).toBe(`${path}?order=${order}&done=charged`)
  const { text } = await finance.get(done.location ?? '')
  expect(text).toContain('-$12.50')
  const [charge = ''] = /charge_[\w-]+/.exec(text) ?? []
  expect((await finance.post(`${path}/${charge}/take-back`, { reason: 'waived' })).location).toContain('done=takenback')
  expect((await viewer.get(`${path}?state=taken_back`)).text).toContain('waived')
})

it('a credit note is written on the page of its invoice, and a refusal keeps what was written', async () => {
  const path = `${base}/2026-03-0001`
  expect((await viewer.get(path)).text).not.toContain('Write the credit note')
  expect((await viewer.post(`${path}/credit`, { what: 'all', reason: 'x' })).status).toBe(403)
  expect((await finance.get(path)).text).toContain('>1: news, 333.33 USD</option>')
  const asked = { what: 'amount', credited: '33,33', line: '1', reason: 'late <count>' }
  const { status, text } = await finance.post(`${path}/credit`, asked)
  expect(status).toBe(200)
  for (const part of [
    'Credit 2026-03-0001?',
    'Given back: $33.33.',
    'late &lt;count&gt;',
    'name="credited" value="33,33"',
    'value="yes"',
  ])
    expect(text).toContain(part)
  expect((await viewer.get(path)).text).not.toContain('2026-03-0001-C1')
  const unasked = await finance.post(`${path}/credit`, { what: 'corrections', reason: 'late count' })
  expect([unasked.status, unasked.text]).toEqual([409, expect.stringContaining('nothing of invoice 2026-03-0001 is to be given')])
  const confirmed = { reason: 'late count', confirmed: 'yes' }
  const refused = await finance.post(`${path}/credit`, { what: 'corrections', ...confirmed })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('nothing of invoice 2026-03-0001 is to be given back')
  expect(refused.text).toContain('value="late count"')
  for (const line of ['first', '']) {
    const { status, text } = await finance.post(`${path}/credit`, { ...asked, ...confirmed, line })
    expect([status, text]).toEqual([400, expect.stringContaining('position must be a whole number')])
  }
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(text) ?? []
  expect(form).not.toBe('')
  for (const [sent, location] of [
    ['first', `${path}?done=credited`],
    ['again', `${path}?done=before`],
  ])
    expect([sent, (await finance.post(`${path}/credit`, { ...asked, ...confirmed, form })).location]).toEqual([sent, location])
  expect((await viewer.get(path)).text).not.toContain('2026-03-0001-C2')
  expect((await viewer.get(path)).text).toMatch(/2026-03-0001-C1<\/a>[\s\S]{0,200}\$33\.33/)
  expect((await viewer.get(`${path}-C1`)).text).toContain('Credit note 2026-03-0001-C1')
  expect((await viewer.get(`${base}/adjustments`)).text).toContain('Nothing is to be corrected')
})

it('the journal has the bookings of some days on the accounts that are named, and the same as a file', async () => {
  expect((await viewer.get(base)).text).toContain(`href="${base}/journal"`)
  const days = 'first=2026-04-01&last=2026-04-30'
  const { text } = await viewer.get(`${base}/journal?${days}&receivables=15%3C10`)
  for (const shown of [`${base}/2026-03-0001">`, `${base}/2026-03-0001-C1">`, '15&lt;10', '$333.33', '$33.33'])
    expect(text).toContain(shown)
  const [, file = ''] = /href="([^"]+journal\.csv[^"]*)"/.exec(text) ?? []
  const { text: csv, headers } = await viewer.get(file.replaceAll('&amp;', '&'))
  expect(headers.get('content-disposition')).toContain('journal-2026-04-01-2026-04-30.csv')
  const rows = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','))
  expect(rows.filter(([, document]) => document === '2026-03-0001').map((row) => row.slice(9, 12))).toEqual([
    ['15<10', '333.33', '0'],
    ['revenue', '0', '333.33'],
  ])
  expect((await viewer.get(`${base}/journal?first=2026-05-01&last=2026-05-02`)).text).toContain(
    'Nothing was booked in these days',
  )
  const reversed = await viewer.get(`${base}/journal?first=2026-05-02&last=2026-05-01`)
  expect([reversed.status, reversed.text]).toEqual([400, expect.stringContaining('is after 2026-05-01')])
})

it('an invoice that is paid in part and credited for the rest is settled, and says how much is credited', async () => {
  const path = `${base}/2026-03-0001`
  const { text: before } = await finance.get(path)
  const [, amount = ''] = /name="amount"[^>]* value="([\d.]+)"/.exec(before) ?? []
  expect((await finance.post(`${path}/payments`, { amount })).location).toBe(`${path}?done=paid`)
  const { text } = await viewer.get(path)
  expect(text).toMatch(/Of it credited<\/dt><dd>\$33\.33/)
  expect(text).toContain('Settled on')
  expect(text).not.toContain('Paid on')
  expect(text).toMatch(/class="[^"]*">settled</)
  expect((await viewer.get(base)).text).toMatch(/class="[^"]*">settled</)
})

it('amounts with tax are named apart, and sums of a filtered list say that they are of it', async () => {
  const { text } = await viewer.get(base)
  for (const name of ['Payable with tax', 'Exact sum without tax', 'Open in USD<']) expect(text).toContain(name)
  expect((await viewer.get(`${base}?state=paid`)).text).toContain('Open in USD, of these invoices')
  expect((await viewer.get(`${base}/adjustments`)).text).toContain('Amounts are before discount and commission.')
})
