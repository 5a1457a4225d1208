import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listCatalogItems } from '../../../src/store/catalog/catalog-items.ts'
import { type BuyerDataAgent, startBuyerDataAgent } from '../../support/buyer-data-agent.ts'
import { type FakeWeb, json, startFakeWeb, status, text } from '../../support/fake-web/fake-web.ts'

let agent: BuyerDataAgent
let web: FakeWeb

beforeAll(async () => {
  web = await startFakeWeb()
  agent = await startBuyerDataAgent({ safeFetch: web.fetch() })
})
afterAll(async () => {
  await agent.stop()
  await web.close()
})

const sync = (catalogs: readonly object[], more: object = {}) => agent.run('sync_catalogs', { catalogs, ...more })
const one = async (catalog: object, more: object = {}) => (await sync([catalog], more)).data.catalogs[0]
const product = (id: string, more: object = {}) => ({
  item_id: id,
  title: id,
  url: `https://shop.example/${id}`,
  image_url: `https://cdn.shop.example/${id}.jpg`,
  price: { amount: 10, currency: 'EUR' },
  ...more,
})
const reach = { tenantId: 'acme', principalId: 'buyer', accountId: undefined }
const stored = (catalogId: string, ids?: string[]) =>
  listCatalogItems(agent.server.store.read, reach, catalogId, { ids, limit: 10 })

describe('sync_catalogs, inline', () => {
  it('reviews items: what cannot be an ad is rejected with reasons, what is poor passes with a warning', async () => {
    const items = [
      product('good', { sku: '00013&cmd=drop' }),
      product('script', { url: 'javascript:alert(1)' }),
      product('priced', { price: { amount: -1, currency: 'euro' } }),
      { title: 'No id' },
      { item_id: 'poor', title: 'Poor' },
      product('good'),
    ]
    const row = await one({ catalog_id: 'shop', type: 'product', content_id_type: 'sku', items })
    expect(row).toMatchObject({
      action: 'created',
      item_count: 5,
      items_approved: 2,
      items_rejected: 3,
      items_pending: 0,
      item_issues: [
        { item_id: 'script', status: 'rejected', reasons: ['url is not a web address'] },
        {
          item_id: 'priced',
          status: 'rejected',
          reasons: ['price.amount is not an amount', 'price.currency is not an ISO 4217 code'],
        },
        { item_id: '#4', status: 'rejected', reasons: ['item_id is missing'] },
        { item_id: 'poor', status: 'warning' },
      ],
      warnings: ['1 item(s) repeat the id of an earlier one and were left out'],
    })
    expect(row).not.toHaveProperty('next_fetch_at')
    expect((await stored('shop')).map(({ itemId, contentId }) => [itemId, contentId])).toEqual([
      ['good', '00013&cmd=drop'],
      ['poor', 'poor'],
    ])
    expect(await stored('shop', ['00013&cmd=drop'])).toHaveLength(1)
  })

  it('says what changed, keeps items when only words change, and narrows by selectors', async () => {
    const items = [product('a', { tags: ['summer'] }), product('b')]
    await one({ catalog_id: 'again', type: 'product', name: 'One', items })
    expect(await one({ catalog_id: 'again', type: 'product', name: 'One', items })).toMatchObject({
      action: 'unchanged',
      item_count: 2,
    })
    expect(await one({ catalog_id: 'again', type: 'product', name: 'Two' })).toMatchObject({
      action: 'updated',
      changes: ['name'],
      item_count: 2,
    })
    expect(await one({ catalog_id: 'again', type: 'product', name: 'Two', tags: ['summer'], items })).toMatchObject({
      action: 'updated',
      changes: ['tags', 'items'],
      item_count: 1,
    })
  })

  it.each([
    ['hotel', { hotel_id: 'h', name: 'H', location: { lat: 91, lng: 4 } }, 'location needs lat and lng in degrees'],
    ['job', { job_id: 'j', title: 'Chef', company_name: 'C' }, 'description is missing'],
    ['vehicle', { vehicle_id: 'v', title: 'V', make: 'M', model: 'X' }, 'year is missing'],
  ])('knows what a %s needs', async (type, item, reason) => {
    const row = await one({ catalog_id: `of-${type}`, type, items: [item] })
    expect(row.item_issues[0]).toMatchObject({ status: 'rejected', reasons: [reason] })
  })

  it('in strict mode one failure takes all with it; lenient goes on; a dry run writes nothing', async () => {
    const bad = { catalog_id: 'both', type: 'product', url: 'https://feeds.example/x', items: [product('a')] }
    const good = { catalog_id: 'fine', type: 'product', items: [product('a')] }
    const strict = await sync([bad, good])
    expect(strict.data.catalogs.map((row: { action: string }) => row.action)).toEqual(['failed', 'failed'])
    expect(strict.data.catalogs[0].errors[0]).toMatchObject({ code: 'VALIDATION_ERROR', field: 'catalogs[0].items' })
    const dry = await sync([bad, good], { validation_mode: 'lenient', dry_run: true })
    expect(dry.data).toMatchObject({ dry_run: true, catalogs: [{ action: 'failed' }, { action: 'created' }] })
    await expect(stored('fine')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    await sync([bad, good], { validation_mode: 'lenient' })
    expect(await stored('fine')).toHaveLength(1)
  })

  it('lists what the account has, deletes what a full sync leaves out, and shows another agent nothing', async () => {
    const { data } = await agent.run('sync_catalogs')
    expect(data.catalogs.map((row: { catalog_id: string }) => row.catalog_id)).toContain('shop')
    const one = await agent.run('sync_catalogs', { catalog_ids: ['shop'] })
    expect(one.data.catalogs.map((row: { catalog_id: string }) => row.catalog_id)).toEqual(['shop'])
    const none = await agent.run('sync_catalogs', { catalog_ids: ['shop', 'none'] })
    expect(none.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'catalog_ids[1]' })
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const account = { brand: { domain: 'other.example' }, operator: 'op.example' }
    await agent.run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'agent' }] }, stranger)
    expect((await agent.run('sync_catalogs', { account }, stranger)).data.catalogs).toEqual([])
    const full = await sync([{ catalog_id: 'fine', type: 'product', items: [product('a')] }], { delete_missing: true })
    expect(full.data.catalogs[0]).toMatchObject({ catalog_id: 'fine', action: 'unchanged' })
    expect((await agent.run('sync_catalogs')).data.catalogs).toHaveLength(1)
  })

  it('needs an id', async () => {
    const { data } = await sync([{ type: 'product', items: [product('a')] }])
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'catalogs[0].catalog_id' })
  })
})

const MERCHANT = `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
<item><g:id>S1</g:id><g:title>Tea &amp; cup &#x2615;</g:title><g:link>https://shop.example/s1</g:link>
<g:image_link>https://cdn.shop.example/s1.jpg</g:image_link><g:price>19.99 EUR</g:price><g:sale_price>15.00 EUR</g:sale_price>
<g:gtin>4006381333931</g:gtin></item>
<item><g:id>S2</g:id><g:title><![CDATA[<b>Pot</b> &amp; lid]]></g:title><g:link>https://shop.example/s2</g:link><g:price>5 EUR</g:price></item>
</channel></rss>`

describe('sync_catalogs, by URL', () => {
  it('reads a Google Merchant feed and says when it is fetched next', async () => {
    web.put('https://feeds.example/shop.xml', text(MERCHANT))
    const row = await one({
      catalog_id: 'gmc',
      type: 'product',
      url: 'https://feeds.example/shop.xml',
      feed_format: 'google_merchant_center',
      update_frequency: 'daily',
    })
    expect(row).toMatchObject({ action: 'created', item_count: 2, items_approved: 2, next_fetch_at: '2026-03-02T12:00:00.000Z' })
    const items = await stored('gmc')
    expect(items[0]?.document).toMatchObject({
      item_id: 'S1',
      sku: 'S1',
      title: 'Tea & cup ☕',
      url: 'https://shop.example/s1',
      price: { amount: 15, currency: 'EUR' },
      gtin: '4006381333931',
    })
    expect(items[1]?.document.title).toBe('<b>Pot</b> &amp; lid')
  })

  it('expands no entities that a feed declares', async () => {
    web.put(
      'https://feeds.example/bomb.xml',
      text(`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><id>&b;</id></item></channel></rss>`),
    )
    const row = await one({ catalog_id: 'bomb', type: 'product', url: 'https://feeds.example/bomb.xml' })
    expect(row).toMatchObject({
      action: 'failed',
      errors: [{ code: 'VALIDATION_ERROR', message: 'the feed must not declare a document type' }],
    })
  })

  it('reads delimited text and normalises it by the rules of the buyer', async () => {
    web.put('https://feeds.example/stays.csv', text('hotel;naam;lat;lng;cents;van\nh1;Grand;52.3;4.9;12900;20260401\n'))
    const mappings = [
      { feed_field: 'hotel', catalog_field: 'hotel_id' },
      { feed_field: 'naam', catalog_field: 'name' },
      { feed_field: 'lat', catalog_field: 'location.lat', transform: 'divide', by: 1 },
      { feed_field: 'lng', catalog_field: 'location.lng', transform: 'divide', by: 1 },
      { feed_field: 'cents', catalog_field: 'price.amount', transform: 'divide', by: 100 },
      { catalog_field: 'price.currency', value: 'EUR' },
      { feed_field: 'van', catalog_field: 'valid_from', transform: 'date', format: 'YYYYMMDD' },
      { feed_field: 'absent', catalog_field: '__proto__.polluted', default: true },
    ]
    const row = await one({
      catalog_id: 'stays',
      type: 'hotel',
      url: 'https://feeds.example/stays.csv',
      feed_format: 'custom',
      feed_field_mappings: mappings,
    })
    expect(row).toMatchObject({ action: 'created', item_count: 1, items_rejected: 0 })
    expect((await stored('stays'))[0]?.document).toEqual({
      hotel_id: 'h1',
      name: 'Grand',
      location: { lat: 52.3, lng: 4.9 },
      price: { amount: 129, currency: 'EUR' },
      valid_from: '2026-04-01',
    })
    expect({}).not.toHaveProperty('polluted')
  })

  it('reads native JSON and Shopify', async () => {
    web.put(
      'https://feeds.example/offers.json',
      json([{ offering_id: 'o1', name: 'Winter', landing_url: 'https://b.example/w' }]),
    )
    web.put(
      'https://feeds.example/shopify.json',
      json({
        products: [
          {
            id: 7,
            title: 'Shirt',
            variants: [
              { id: 71, sku: 'S-71', price: '9.90', title: 'M' },
              { id: 72, title: 'L' },
            ],
          },
        ],
      }),
    )
    const { data } = await sync([
      { catalog_id: 'offers', type: 'offering', url: 'https://feeds.example/offers.json' },
      { catalog_id: 'shopify', type: 'product', url: 'https://feeds.example/shopify.json', feed_format: 'shopify' },
    ])
    expect(data.catalogs).toMatchObject([
      { item_count: 1, items_approved: 1 },
      { item_count: 2, items_rejected: 0 },
    ])
    expect((await stored('shopify')).map(({ itemId }) => itemId)).toEqual(['71', '72'])
  })

  it('says what is wrong with a feed, and nothing of what lies behind an address', async () => {
    web.put('https://feeds.example/gone', status(404))
    web.put('https://feeds.example/broken.json', text('{"items": ['))
    const urls = [
      'https://feeds.example/gone',
      'https://feeds.example/broken.json',
      'http://feeds.example/plain',
      'https://10.0.0.1/inside',
    ]
    const { data } = await sync(
      urls.map((url, index) => ({ catalog_id: `bad-${index}`, type: 'product', url })),
      { validation_mode: 'lenient' },
    )
    expect(data.catalogs.map((row: { errors: { message: string }[] }) => row.errors[0]?.message)).toEqual([
      "the feed's server answered 404",
      'the feed is not JSON that can be read',
      'the address of the feed must be an https URL',
      'the feed cannot be fetched from here',
    ])
  })
})

describe('a list of very many catalogs', () => {
  const account = { brand: { domain: 'many.example' }, operator: 'agency.example' }

  it('ends where the first 1,000 or a megabyte of issues do, says so, and gives what is asked for by id', async () => {
    await agent.run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
    const items = [product('script', { url: 'javascript:alert(1)' })]
    const first = await one({ catalog_id: 'many-0000', type: 'product', items }, { account })
    expect((await agent.run('sync_catalogs', { account })).data).not.toHaveProperty('ext')
    await agent.server.store.transaction(async (tx) => {
      const row = await tx
        .selectFrom('catalogs')
        .selectAll()
        .where('platform_id', '=', first.platform_id)
        .executeTakeFirstOrThrow()
      const item = await tx
        .selectFrom('catalog_items')
        .selectAll()
        .where('platform_id', '=', first.platform_id)
        .executeTakeFirstOrThrow()
      for (let at = 1; at <= 1_002; at++) {
        const platform_id = `cat_many_${at}`
        const copy = { ...row, platform_id, catalog_id: `many-${String(at).padStart(4, '0')}` }
        await tx.insertInto('catalogs').values(copy).execute()
        if (at > 5) continue
        const reasons = JSON.stringify(['x'.repeat(400_000)])
        await tx
          .insertInto('catalog_items')
          .values({ ...item, platform_id, reasons })
          .execute()
      }
    })
    const { data } = await agent.run('sync_catalogs', { account })
    expect(data.catalogs).toHaveLength(1_000)
    expect(data.catalogs.filter((row: object) => 'item_issues' in row)).toHaveLength(4)
    expect(data.ext.notes).toEqual([
      'Only the first 1000 of 1003 catalogs are listed, in order of creation: ask for others with catalog_ids.',
      'item_issues are given of the first 4 catalogs only, up to 1 MB: ask for those of others with catalog_ids.',
    ])
    const named = await agent.run('sync_catalogs', { account, catalog_ids: ['many-0005', 'many-1002'] })
    expect(named.data).not.toHaveProperty('ext')
    expect(named.data.catalogs).toMatchObject([
      { catalog_id: 'many-0005', items_rejected: 1, item_issues: [{ item_id: 'script' }] },
      { catalog_id: 'many-1002', items_rejected: 1 },
    ])
  })
})
