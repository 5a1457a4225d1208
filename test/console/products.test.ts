import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { showProduct } from '../../src/operator/products/list-products.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

const MANY = 120

let agent: MediaBuyAgent
let base: string
let trafficker: ConsoleClient
let colleague: ConsoleClient

beforeAll(async () => {
  const others = Array.from({ length: MANY }, (_empty, n) =>
    productDocument(`p-${String(n).padStart(3, '0')}`, { delivery_type: 'non_guaranteed' }),
  )
  const custom = productDocument('for-other', {}, { visibility: 'custom', exclusive_to: ['other'] })
  agent = await startMediaBuyAgent([productDocument('news'), ...others, custom])
  await agent.addBuyer({ principal: 'other' })
  base = `/console/t/${agent.tenant}`
  trafficker = await signedIn(agent, 'trafficker', 'ad_operations', agent.tenant)
  colleague = await signedIn(agent, 'colleague', 'ad_operations', agent.tenant)
})
afterAll(() => agent.stop())

const idsIn = (text: string) => [...text.matchAll(/<small>([\w-]+)<\/small><\/td>/g)].map(([, id]) => id)
const price = async (id = 'news') => {
  const { pricing_options: options } = await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, showProduct, {
    product: id,
  })
  return JSON.parse(JSON.stringify(options))[0].fixed_price
}
const upload = (
  client: ConsoleClient,
  name: string,
  text: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
) => client.upload(`${base}/products/import`, { name, text }, { step: 'file', mode: 'merge', ...fields })
/** The fields that a page's form carries on. */
const carried = (text: string) => ({
  packed: /name="packed" value="([^"]*)"/.exec(text)?.[1] ?? '',
  name: /name="name" value="([^"]+)"/.exec(text)?.[1] ?? '',
})
const decoded = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

/** What the form of the price of a product holds. */
async function priceForm(id: string) {
  return formFields((await trafficker.get(`${base}/products/${id}`)).text, `${id}/price`)
}

describe('products in the console', () => {
  it('come page by page, each once, in the order of the file', async () => {
    const seen: (string | undefined)[] = []
    let path: string | undefined = `${base}/products`
    for (let pages = 0; path !== undefined && pages < 10; pages += 1) {
      const { text } = await trafficker.get(path)
      seen.push(...idsIn(text))
      path = decoded(/href="([^"]+)">Next page/.exec(text)?.[1] ?? '') || undefined
    }
    expect(seen.length).toBe(MANY + 2)
    expect([seen[0], seen[1], seen.at(-1), new Set(seen).size]).toEqual(['news', 'p-000', 'for-other', MANY + 2])
    expect(idsIn((await trafficker.get(`${base}/products?search=p-007`)).text)).toEqual(['p-007'])
    expect((await trafficker.get(`${base}/products?search=100%25`)).text).toContain('No product fits')
  })

  it('a price is changed in place, checked like an import, and not over the change of somebody else', async () => {
    const before = await price()
    const path = `${base}/products/news/price`
    const form = await priceForm('news')
    const fields = Object.fromEntries(form)
    expect((await trafficker.post(`${path}/check`, { ...fields, value: 'cheap' })).text).toContain('must be a number')
    expect((await trafficker.post(`${path}/check`, { ...fields, value: '-3' })).text).toContain('must be')
    expect((await trafficker.post(`${path}/check`, { ...fields, value: '14,5' })).text).toBe('')
    expect(await price()).toBe(before)
    expect((await trafficker.postAll(path, filledIn(form, { value: '14,5' }))).status).toBe(303)
    expect(await price()).toBe(14.5)
    const late = await colleague.postAll(path, filledIn(form, { value: '3' }))
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('The price is &quot;14.5&quot; by now')])
    expect(await price()).toBe(14.5)
  })

  it.each(['1,200', '1.200'])('a price of %s can be read in two ways: it is refused, and stays in the form', async (value) => {
    const before = await price('p-004')
    const fields = { ...Object.fromEntries(await priceForm('p-004')), value }
    const path = `${base}/products/p-004/price`
    const problem = `${value} can be read in two ways: write 1200 or 1.2000`
    expect((await trafficker.post(`${path}/check`, fields)).text).toBe(problem)
    const refused = await trafficker.post(path, fields)
    expect(refused.status).toBe(400)
    for (const kept of [problem, `value="${value}"`, '<details class="price" open>']) expect(refused.text).toContain(kept)
    expect(await price('p-004')).toBe(before)
    expect((await trafficker.post(path, { ...fields, value: '1.200,50' })).status).toBe(303)
    expect(await price('p-004')).toBe(1_200.5)
  })

  it('a price with three decimals is in its form as it is read back', async () => {
    const fields = { ...Object.fromEntries(await priceForm('p-005')), value: '1.2340' }
    expect((await trafficker.post(`${base}/products/p-005/price`, fields)).status).toBe(303)
    const { text } = await trafficker.get(`${base}/products/p-005`)
    expect(text).toContain('value="1.2340"')
  })

  it('prices below a cent are shown whole', async () => {
    const fields = { ...Object.fromEntries(await priceForm('p-003')), value: '0.0085' }
    expect((await trafficker.post(`${base}/products/p-003/price`, fields)).status).toBe(303)
    for (const page of ['products?search=p-003', 'products/p-003', 'products/seen?buyer=buyer&brief=p-003'])
      expect((await trafficker.get(`${base}/${page}`)).text, page).toMatch(/CPM \D*0\.0085\b/)
  })

  it('the page of a product has each price once, and links of the activity lead to it', async () => {
    const { text } = await trafficker.get(`${base}/products/p-003`)
    expect(text.match(/<summary>CPM [^<]+<\/summary>/g)).toHaveLength(1)
    expect(text.replaceAll(/<details[\s\S]*?<\/details>/g, '')).not.toContain('CPM ')
    expect(text).toContain('Non-guaranteed')
    await trafficker.post(`${base}/products/p-003/archive`)
    await agent.server.audit.settled()
    const { text: activity } = await trafficker.get(`${base}/activity`)
    expect(activity).toContain(`<a href="${base}/products/p-003"><code>p-003</code></a>`)
    await trafficker.post(`${base}/products/p-003/restore`)
  })

  it('what leaves the sale shows the orders that run on', async () => {
    expect((await agent.create()).isError).toBe(false)
    const page = await trafficker.get(`${base}/products/news/archive`)
    expect(page.text).toMatch(/1 order runs with it[\s\S]*\/orders\/mb_/)
    await trafficker.post(`${base}/products/news/archive`)
    expect((await trafficker.get(`${base}/products/news`)).text).toContain('archived')
    expect(await seen('')).not.toContain('news')
    await trafficker.post(`${base}/products/news/restore`)
    expect(await seen('')).toContain('news')
  })

  it('what buyers see is the answer of the protocol', async () => {
    expect(await seen('')).not.toContain('for-other')
    expect(await seen('other')).toContain('for-other')
    const shown = await trafficker.get(`${base}/products/seen?buyer=buyer`)
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
    const answer = JSON.parse(decoded(/<pre id="answer">([\s\S]*?)<\/pre>/.exec(shown.text)?.[1] ?? ''))
    expect(answer.products).toEqual(data.products)
    expect(answer.pagination.total_count).toEqual(JSON.parse(JSON.stringify(data.pagination)).total_count)
  })

  /** Ids in the answer, asked with a brief that finds all of a kind. */
  async function seen(buyer: string): Promise<string[]> {
    const ids: string[] = []
    for (const brief of ['news', 'for-other']) {
      const { text } = await trafficker.get(`${base}/products/seen?buyer=${buyer}&brief=${brief}`)
      const answer = JSON.parse(decoded(/<pre id="answer">([\s\S]*?)<\/pre>/.exec(text)?.[1] ?? ''))
      ids.push(...answer.products.map(({ product_id: id }: { product_id: string }) => id))
    }
    return ids
  }
})

describe('a spreadsheet', () => {
  const sheet = 'SKU;Title;Rate\r\nnews;News page;12,5\r\nsport;Sport page;abc\r\n'

  it('is mapped, repaired in the grid, compared and imported', async () => {
    const mapping = await upload(trafficker, 'rates.csv', sheet)
    expect(mapping.text).toMatch(/<option value="product_id" selected>/)
    expect(mapping.text).toMatch(/<option value="price" selected>/)
    expect(mapping.text).toContain('name="fixed-delivery_type"')
    const fixed = {
      description: 'A page',
      channels: 'display',
      delivery_type: 'guaranteed',
      format_ids: 'display_300x250',
      publisher_domain: 'publisher.example',
      daily_capacity: '1000',
      pricing_model: 'cpm',
      currency: 'USD',
    }
    const mapped = await upload(trafficker, '', '', {
      ...carried(mapping.text),
      step: 'map',
      'column-0': 'product_id',
      'column-1': 'name',
      'column-2': 'price',
      ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [`fixed-${name}`, value])),
    })
    expect([mapped.status, mapped.text]).toEqual([
      400,
      expect.stringMatching(/<td class="wrong"><input name="cell:3:price" value="abc"/),
    ])
    const repaired = await upload(trafficker, '', '', { ...carried(mapped.text), step: 'repair', 'cell:3:price': '9,25' })
    expect([repaired.status, repaired.text]).toEqual([200, expect.stringContaining('1 new')])
    expect((await trafficker.get(`${base}/products/sport`)).status).toBe(404)
    const done = await upload(trafficker, '', '', { ...carried(repaired.text), step: 'confirm' })
    expect(done.location).toBe(`${base}/products?done=imported`)
    expect([await price('sport'), await price('news')]).toEqual([9.25, 12.5])
  })

  it('in Windows-1252 is read, with a notice at the first step', async () => {
    const western = Uint8Array.from(Buffer.from('SKU;Title;Rate\r\nnews;Zürich \u0080;12,5\r\n', 'latin1'))
    const mapping = await upload(trafficker, 'rates.csv', western)
    expect(gunzipSync(Buffer.from(carried(mapping.text).packed, 'base64')).toString()).toContain('Zürich €')
    expect(mapping.text).toContain('was read as Windows-1252')
    expect((await upload(trafficker, 'rates.csv', sheet)).text).not.toContain('Windows-1252')
  })

  it('of new products in our columns is asked for the required ones that it has not', async () => {
    const first =
      'product_id,name,description,channels,delivery_type,price,currency\nfirst,First,A page,display,guaranteed,5,USD\n'
    const { status, text } = await upload(trafficker, 'first.csv', first)
    expect(status).toBe(200)
    const asked = [...text.matchAll(/name="fixed-(\w+)"/g)].map(([, name]) => name)
    expect(asked).toEqual(['format_ids', 'publisher_domain', 'daily_capacity', 'pricing_model'])
    expect(text).not.toContain('products that exist are to stay')
  })

  it('of ids and prices alone changes the prices, under headings of another system too', async () => {
    const compared = await upload(trafficker, 'prices.csv', 'product_id,price\np-001,4\np-002,5\n')
    expect([compared.status, compared.text]).toEqual([200, expect.stringContaining('2 changed')])
    expect(compared.text).toContain('Running orders keep their agreed prices')
    await upload(trafficker, '', '', { ...carried(compared.text), step: 'confirm' })
    expect([await price('p-001'), await price('p-002')]).toEqual([4, 5])
    const mapping = await upload(trafficker, 'rates.csv', 'SKU;Rate\r\np-001;6,5\r\n')
    const fields = { ...carried(mapping.text), step: 'map', 'column-0': 'product_id', 'column-1': 'price' }
    const mapped = await upload(trafficker, '', '', fields)
    expect([mapped.status, mapped.text]).toEqual([200, expect.stringContaining('1 changed')])
    const unknown = await upload(trafficker, 'prices.csv', 'product_id,price\np-001,4\np-0O2,5\n')
    expect(unknown.text).toMatch(/<input name="cell:3:product_id" value="p-0O2"/)
    expect(unknown.text).toContain('a new one also needs the columns name')
  })

  it('with two columns that are the same one is refused in words', async () => {
    const mapping = await upload(trafficker, 'rates.csv', sheet)
    const twice = { 'column-0': 'name', 'column-1': 'name', 'column-2': 'price' }
    const reply = await upload(trafficker, '', '', { ...carried(mapping.text), step: 'map', ...twice })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('two columns of the file are both')])
  })
})
