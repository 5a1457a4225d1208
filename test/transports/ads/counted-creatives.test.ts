import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorIn } from '../../../src/compose/operator.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, CREATIVES, format, startAdPublisher } from '../../support/ad-publisher.ts'
import type { AgentClient } from '../../support/client.ts'
import { enterDirectOrder } from '../../support/direct-orders.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const TAG = { html: { asset_type: 'html', content: '<b>ad</b>' } }
const PAGE = { click_url: { asset_type: 'url', url: 'https://shop.example/boots' } }
const CPC = { productId: 'news_homepage_display', price: { model: 'cpc', basis: 'fixed', rateMicros: 2_000_000 } } as const

let publisher: AdPublisher
let buyer: AgentClient
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher({ flags: { 'adServer.type': 'embedded' } })
  buyer = await publisher.buyerOn(ACCOUNT, { principal: 'advertiser' })
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
})
afterAll(() => publisher?.stop())

const call = (task: string, args: object) => buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
const creative = (creative_id: string, id: string, assets: object) => ({
  ...{ creative_id, name: creative_id, assets },
  format_id: { agent_url: publisher.server.services.wiring.agentUrl, id },
})
const packageOf = (pricing_option_id: string, more: object = {}, product_id = 'outdoor_lifestyle_display') => ({
  ...{ product_id, pricing_option_id, budget: 5000 },
  ...more,
})
const order = (...packages: object[]) =>
  call('create_media_buy', {
    ...{ brand: ACCOUNT.brand, start_time: '2026-03-11T00:00:00Z', end_time: '2026-03-30T00:00:00Z', packages },
  })
const sync = (creatives: object[], more: object = {}) => call('sync_creatives', { creatives, ...more })
const REFUSED = /charged by the click: send click_url/

describe('a package that is sold by the click', () => {
  it('takes no creative whose clicks are not counted, by whichever request it comes', async () => {
    const { data: made } = await order(packageOf('cpc_usd_fixed'), packageOf('cpm_usd_fixed'))
    const [byClick, byThousand] = made.packages.map(({ package_id }: { package_id: string }) => package_id)
    const assignments = [byClick, byThousand].map((package_id) => ({ creative_id: 'tag', package_id }))
    const { data: synced } = await sync([creative('tag', 'display_300x250_html5', TAG)], { assignments })
    expect(synced.creatives[0]).toMatchObject({
      assigned_to: [byThousand],
      assignment_errors: { [byClick]: expect.stringMatching(REFUSED) },
    })
    const assigned = { creative_assignments: [{ creative_id: 'tag' }] }
    const sent = { creatives: [creative('inline', 'display_300x250_html5', TAG)] }
    const ofLibrary = 'packages[0].creative_assignments[0].creative_id'
    for (const [more, field] of [
      [assigned, ofLibrary],
      [sent, 'packages[0].creatives[0].assets'],
    ] as const) {
      const { data } = await order(packageOf('cpc_usd_fixed', more))
      expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field, message: expect.stringMatching(REFUSED) })
      const packages = [{ package_id: byClick, ...more }]
      const { data: updated } = await call('update_media_buy', { media_buy_id: made.media_buy_id, packages })
      expect(updated.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field, message: expect.stringMatching(REFUSED) })
    }
    // The address of the page that it was on is not known any more when the click comes.
    const nowhere = { ...TAG, click_url: { asset_type: 'url', url: '{PAGE_URL}' } }
    const { data: lost } = await sync([creative('nowhere', 'display_300x250_html5', nowhere)], {
      assignments: [{ creative_id: 'nowhere', package_id: byClick }],
    })
    expect(lost.creatives[0].assignment_errors?.[byClick] ?? '').toMatch(REFUSED)
    const { data: good } = await sync([creative('led', 'display_300x250_html5', { ...TAG, ...PAGE })], {
      assignments: [{ creative_id: 'led', package_id: byClick }],
    })
    expect(good.creatives[0]).toMatchObject({ assigned_to: [byClick] })
  })

  it('does not serve one that lost its page, which is rejected with what to send', async () => {
    const { click_url: _page, ...others } = CREATIVES.image?.assets ?? {}
    const own = { name: 'lost', formatId: format('display_970x250'), assets: others }
    const key = await publisher.sell('lost', own, { ...CPC, productId: 'lost_place' })
    await publisher.sell('kept', 'image', { ...CPC, productId: 'kept_place' })
    const asked = async (place: string) =>
      (await publisher.decide({ placements: [{ place, sizes: ['970x250'] }] })).body.placements[0]?.ad
    await expect.poll(() => asked('kept_place')).toBeTruthy()
    expect(await asked('lost_place')).toBeNull()
    const observed = await publisher.backend.observe(key)
    expect(observed?.creatives[0]?.review).toMatchObject({ state: 'rejected', reason: expect.stringMatching(REFUSED) })
  })

  it('covers code with the link that counts, and gives the code no other way out', async () => {
    await publisher.sell('code', 'html', { ...CPC, productId: 'code_place' })
    const ask = async () =>
      (await publisher.decide({ placements: [{ place: 'code_place', sizes: ['300x250'] }] })).body.placements[0]?.ad
    await expect.poll(ask).toBeTruthy()
    const ad = await ask()
    const cover = await publisher.get(ad?.frame_url ?? '')
    const text = await cover.text()
    expect(text).not.toContain('window.ran')
    const [, sandbox, inside] = /<iframe [^>]*sandbox="([^"]*)"[^>]* src="([^"]*)"/.exec(text) ?? []
    const [, click] = /<a href="([^"]*)"/.exec(text) ?? []
    expect(sandbox).toBe('allow-scripts')
    const own = (link = '') => {
      const { pathname, search } = new URL(link.replaceAll('&#38;', '&'))
      return publisher.get(`${publisher.origin}${pathname}${search}`)
    }
    expect(await (await own(inside)).text()).toContain('window.ran')
    await own(ad?.events.impression)
    const clicked = await own(click)
    expect([clicked.status, clicked.headers.get('location')]).toEqual([302, 'https://shop.example/landing?from=code_place'])
    await expect
      .poll(async () => {
        const { rows } = await publisher.backend.report({
          ...{ tenantId: publisher.tenant, orderExternalIds: ['code'], since: '2026-03-01' },
        })
        return rows.reduce((sum, { spendMicros }) => sum + spendMicros, 0)
      })
      .toBe(2_000_000)
  })
})

describe('a package that is sold by what was played', () => {
  it('takes what plays a video', async () => {
    const { data } = await order(packageOf('cpcv_usd_fixed', {}, 'sports_preroll_q2'))
    const package_id = data.packages[0].package_id
    const vast = { vast: { asset_type: 'vast', delivery_type: 'url', vast_version: '4.0', url: 'https://vast.example/x.xml' } }
    const { data: synced } = await sync([creative('spot', 'vast_15s', vast)], {
      assignments: [{ creative_id: 'spot', package_id }],
    })
    expect(synced.creatives[0]).toMatchObject({ assigned_to: [package_id] })
  })
})

describe('a direct line', () => {
  const enter = (price_model: string, content: object) => {
    const line = {
      ...{ line_id: 'a', product_id: 'news_homepage_display', priority: 'standard', price_model, rate: 1, budget: 100 },
      ...{ starts_at: '2026-03-12T00:00:00Z', ends_at: '2026-03-22T00:00:00Z' },
      creatives: [{ creative_id: 'c', width: 970, height: 250, ...content }],
    }
    const text = JSON.stringify({ order_id: `d-${randomUUID()}`, name: 'D', currency: 'SEK', lines: [line] })
    return enterDirectOrder(operator, publisher.tenant, { name: 'o', text })
  }
  const click_url = 'https://shop.example/'
  it.each([
    ['cpc', { image: { url: 'https://cdn.example/a.png' } }, 'click_url'],
    ['cpc', { html: '<b>x</b>' }, 'click_url'],
    ['cpc', { native: { title: 'x' } }, 'click_url'],
    ['cpc', { vast: 'https://vast.example/x.xml', click_url }, 'click_url'],
    ['cpv', { html: '<b>x</b>', click_url }, 'video'],
    ['cpcv', { image: { url: 'https://cdn.example/a.png' }, click_url }, 'video'],
  ])('at %s with %j is refused', async (model, content, member) => {
    await expect(enter(model, content)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: `lines[0].creatives[0].${member}`,
      message: expect.stringContaining(`the price (${model}) is charged by`),
    })
  })
  it.each([
    ['cpc', { html: '<b>x</b>', click_url }],
    ['cpcv', { vast: 'https://vast.example/x.xml' }],
    ['vcpm', { html: '<b>x</b>' }],
  ])('at %s with %j is taken', async (model, content) => {
    await expect(enter(model, content)).resolves.toMatchObject({ document: { lines: [{ price_model: model }] } })
  })
})
