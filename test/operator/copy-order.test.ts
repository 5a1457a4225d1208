import { afterAll, beforeAll, expect, it } from 'vitest'
import { embeddedBackend } from '../../src/compose/embedded-ad-server.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { copyOrder } from '../../src/operator/orders/copy-order.ts'
import { CREATIVES } from '../support/ad-publisher.ts'
import { signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { fetchFrom, pngOf } from '../support/creative-files.ts'
import { enterDirectOrder, showDirectOrder } from '../support/direct-orders.ts'
import { startEmbeddedOrder } from '../support/embedded-delivery.ts'
import { performAs } from '../support/operator.ts'

let shop: Awaited<ReturnType<typeof startEmbeddedOrder>>
beforeAll(async () => {
  shop = await startEmbeddedOrder({ 'ads.creativeFiles': 'hosted' })
})
afterAll(() => shop?.agent.stop())

const copy = (order: string, more: object = {}) => performAs(shop.operator, shop.agent.tenant, copyOrder, { order, ...more })

/** Gives the order of the buyer an image, whose file is hosted here, and a script. */
async function giveCreatives(): Promise<void> {
  const { server, config, tenant } = shop.agent
  const { products, wiring } = server.services
  const safeFetch = fetchFrom(new Map([['https://cdn.example/a.png', pngOf(970, 250)]]))
  const { agentUrl } = wiring
  const backend = embeddedBackend({ store: server.store, config, products, agentUrl, clock: server.clock, safeFetch })
  const order = { tenantId: tenant, externalId: shop.mediaBuyId }
  const script = {
    name: 'Script',
    formatId: { agent_url: agentUrl, id: 'display_300x250' },
    assets: { js: { asset_type: 'javascript', content: 'document.write("ad")' } },
  }
  for (const [externalId, creative] of Object.entries({ picture: CREATIVES.image, script })) {
    if (!creative) throw new Error('no image')
    const formatId = { ...creative.formatId, agent_url: agentUrl }
    await backend.putCreative(order, { ...creative, formatId, externalId, contentVersion: '1' })
  }
  const association = { weight: 33.4, placementIds: null }
  const line = { tenantId: tenant, externalId: shop.packageId }
  await backend.associate(order, line, [
    { creativeExternalId: 'picture', ...association },
    { creativeExternalId: 'script', ...association },
  ])
}

it('an order of a buyer is copied as a direct order on later days; what that cannot have is named', async () => {
  expect((await copy(shop.mediaBuyId)).left_out).toEqual([
    `${shop.packageId}: it has no creative that can be copied; nothing is served until one is added`,
    expect.stringMatching(/^account acc_\S+ of the buyer: a direct order is billed to its advertiser or agency$/),
  ])
  await giveCreatives()
  const { document, origin, left_out: leftOut, flights } = await copy(shop.mediaBuyId, { first: '2026-05-04', copy_id: 'again' })
  expect(origin).toBe('buyer')
  const [line] = document.lines
  expect(document).toMatchObject({ order_id: 'again', name: 'again', advertiser: 'brand.example', currency: 'USD' })
  // 2 March 00:00Z is 19:00 on the first of March in New York, and the end 20:00 of the summer time there.
  expect(flights).toEqual([`${shop.packageId} 2026-05-04 19:00 – 2026-05-14 20:00`])
  expect(line).toMatchObject({
    line_id: shop.packageId,
    product_id: 'news_homepage_display',
    starts_at: '2026-05-04T23:00:00.000Z',
    ends_at: '2026-05-15T00:00:00.000Z',
    cpm: shop.rate,
    // What its budget buys.
    impressions: Math.floor((5000 / shop.rate) * 1000),
  })
  expect(line?.creatives).toEqual([
    {
      creative_id: 'picture',
      weight: 33,
      ...{ width: 970, height: 250 },
      click_url: expect.stringMatching(/^https:\/\/shop\.example\/landing/),
      image: { url: expect.stringMatching(/\/ads\/files\/[a-z0-9-]+\/[0-9a-f]{32}\.png$/), alt: 'Boots' },
    },
  ])
  expect(leftOut).toEqual([
    `${shop.packageId}: creative script is a script, which a direct order does not have`,
    `${shop.packageId}: the trackers of creative picture`,
    expect.stringContaining('of the buyer: a direct order is billed'),
  ])
  const text = JSON.stringify(document)
  await enterDirectOrder(shop.operator, shop.agent.tenant, { name: 'copy', text }, 0)
  expect((await showDirectOrder(shop.operator, shop.agent.tenant, 'again')).document).toEqual(document)
  const uses = await shop.agent.server.store.read.selectFrom('embedded_file_uses').selectAll().execute()
  expect(new Set(uses.map(({ file_id }) => file_id)).size).toBe(1)
  expect(uses).toHaveLength(2)
})

it('a copy of a copy is the same order on its own days, under a name of its own', async () => {
  const { document, origin, left_out: leftOut } = await copy('again')
  const source = (await showDirectOrder(shop.operator, shop.agent.tenant, 'again')).document
  expect([origin, leftOut]).toEqual(['entered', []])
  expect(document).toEqual({ ...source, order_id: 'again-copy' })
})

it('names the terms that a copy does not have', async () => {
  const terms = { agency_name: 'Media Nord AB', billed_to: 'agency', purchase_order: 'PO 7', discount_basis_points: 1_050 }
  await performAs(shop.operator, shop.agent.tenant, setOrderTerms, { order: 'again', ...terms })
  const after = 'set it after the copy is entered (orders set-terms)'
  expect((await copy('again')).left_out).toEqual([
    `the agency Media Nord AB, which pays: ${after}`,
    `purchase order PO 7: ${after}`,
    `discount of 10.5 %: ${after}`,
  ])
})

it('the page of the order leads to the form, filled with the copy', async () => {
  const ada = await signedIn(shop.agent, 'ada', 'ad_operations', shop.agent.tenant)
  const vera = await signedIn(shop.agent, 'vera', 'viewer', shop.agent.tenant)
  const base = `/console/t/${shop.agent.tenant}`
  const link = `${base}/direct-orders/~enter?copy=${shop.mediaBuyId}`
  expect((await ada.get(`${base}/orders/${shop.mediaBuyId}`)).text).toContain(`href="${link}"`)
  expect((await vera.get(`${base}/orders/${shop.mediaBuyId}`)).text).not.toContain(link)
  const page = await ada.get(link)
  expect(page.text).toContain('creative script is a script')
  const fields = formFields(page.text, `${base}/direct-orders`)
  const entered = await ada.postAll(`${base}/direct-orders`, filledIn(fields, { order_id: 'third' }))
  expect([entered.status, entered.location], entered.text).toEqual([303, `${base}/direct-orders/third?done=added`])
})

it('a copy begins today at the earliest, and within ten years', async () => {
  for (const first of ['2026-03-03', '2036-03-05', '9999-12-31'])
    await expect(copy('again', { first })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'first' })
  expect((await copy('again', { first: '2036-03-04' })).flights[0]).toContain('2036-03-04')
})

it('a copy has an id that a direct order can have, of its own or of the publisher', async () => {
  for (const copyId of ['../x', '', ' ', 'a b', 'a'.repeat(65)])
    await expect(copy('again', { copy_id: copyId })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'copy_id' })
  expect((await copy('again', { copy_id: 'A.b_c-1' })).document.order_id).toBe('A.b_c-1')
})

it('a long name is cut between characters', async () => {
  const { store } = shop.agent.server
  const own = store.read.selectFrom('media_buys').select('document').where('media_buy_id', '=', shop.mediaBuyId)
  const document = JSON.parse((await own.executeTakeFirstOrThrow()).document)
  const named = JSON.stringify({ ...document, poNumber: `${'a'.repeat(199)}😀😀` })
  await store.transaction((tx) =>
    tx
      .updateTable('media_buys')
      .set({ document: named })
      .where('media_buy_id', '=', shop.mediaBuyId)
      .execute()
      .then(() => undefined),
  )
  expect((await copy(shop.mediaBuyId)).document.name).toBe(`${'a'.repeat(199)}😀`)
})

it('an order that is nowhere, or at no ad server of ours, is not copied', async () => {
  await expect(copy('mb_none')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
  await shop.agent.server.store.transaction((tx) =>
    tx
      .deleteFrom('embedded_orders')
      .where('anchor', '=', shop.mediaBuyId)
      .execute()
      .then(() => undefined),
  )
  await expect(copy(shop.mediaBuyId)).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'order' })
})
