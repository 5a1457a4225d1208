import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorIn } from '../../../src/compose/operator.ts'
import { linkCreativePreview } from '../../../src/operator/creatives/preview-link.ts'
import { setCreativeReview } from '../../../src/operator/creatives/review-creatives.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { performAs } from '../../support/operator.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const PAGE = 'https://publisher.example/article?id=7'
const click = { asset_type: 'url', url: 'https://shop.example/boots' }
const CREATIVES = {
  banner: {
    format: 'display_970x250',
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.example/b.png', width: 970, height: 250, format: 'png' },
      click_url: click,
      impression_tracker: { asset_type: 'url', url: 'https://track.example/i' },
    },
  },
  code: {
    format: 'display_300x250_html5',
    assets: { html: { asset_type: 'html', content: '<a href="{CLICK_URL}">Go</a>' }, click_url: click },
  },
} as const

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher({ flags: { 'adServer.type': 'embedded' } })
  operator = operatorIn({
    ...publisher.server,
    config: publisher.config,
    contracts: publisher.server.contracts,
    clock: publisher.clock,
  })
  await performAs(operator, 'demo', setCreativeReview, { mode: 'manual' })
  const buyer = await publisher.buyerOn(ACCOUNT, { principal: 'advertiser' })
  const agent_url = publisher.server.services.wiring.agentUrl
  const creatives = Object.entries(CREATIVES).map(([creative_id, { format, assets }]) => ({
    creative_id,
    name: creative_id,
    format_id: { agent_url, id: format },
    assets,
  }))
  const { isError, data } = await buyer.call('sync_creatives', { idempotency_key: randomUUID(), account: ACCOUNT, creatives })
  if (isError) throw new Error(JSON.stringify(data))
})
afterAll(() => publisher.stop())

const linkOf = (creativeId: string, more: object = {}) =>
  performAs(operator, 'demo', linkCreativePreview, {
    buyer: 'advertiser',
    account: '-',
    creative: creativeId,
    page: PAGE,
    ...more,
  })
async function tokenOf(creativeId: string, more: object = {}): Promise<string> {
  const { url } = await linkOf(creativeId, more)
  return new URL(url).searchParams.get('adcp_preview') ?? ''
}
const BILLBOARD = { place: 'news_home_billboard', sizes: ['970x250'] }
const RIGHT = { place: 'news_home_right', sizes: ['300x250', '160x600'] }

describe('a link that previews a creative', () => {
  it('leads to the page of the publisher', async () => {
    const { url, expires_at } = await linkOf('banner', { days: 2 })
    expect(url).toMatch(/^https:\/\/publisher\.example\/article\?id=7&adcp_preview=preview\./)
    expect(expires_at).toBe('2026-03-12T12:00:00.000Z')
  })

  it('shows a creative that waits for its review where it fits, and counts nothing', async () => {
    const preview = await tokenOf('banner')
    const { body } = await publisher.decide({ placements: [RIGHT, BILLBOARD], preview })
    expect(body.placements[0]?.ad).toBeNull()
    const ad = body.placements[1]?.ad
    expect(ad).toMatchObject({ kind: 'image', image: { url: 'https://cdn.example/b.png' }, trackers: [] })
    const event = await publisher.get(ad?.events.impression ?? '')
    expect(event.status).toBe(200)
    const clicked = await publisher.get(ad?.click_url ?? '')
    expect([clicked.status, clicked.headers.get('location')]).toEqual([302, 'https://shop.example/boots'])
    expect(await publisher.server.store.read.selectFrom('embedded_events').select('event_id').execute()).toEqual([])
    expect((await publisher.decide({ placements: [BILLBOARD] })).body.placements[0]?.ad).toBeNull()
  })

  it('shows code in a frame without an origin', async () => {
    const preview = await tokenOf('code')
    const { body } = await publisher.decide({ placements: [RIGHT], preview })
    const frame = await publisher.get(body.placements[0]?.ad?.frame_url ?? '')
    expect(frame.headers.get('content-security-policy')).toContain('sandbox')
    expect(await frame.text()).toContain('>Go</a>')
  })

  it('shows it in the one place that it names', async () => {
    const preview = await tokenOf('banner', { place: 'other' })
    const { body } = await publisher.decide({ placements: [BILLBOARD, { ...BILLBOARD, place: 'other' }], preview })
    expect(body.placements.map(({ ad }) => ad?.kind)).toEqual([undefined, 'image'])
  })

  it('is good for its term, its publisher, and as it was signed', async () => {
    const preview = await tokenOf('banner', { days: 1 })
    const refused = async (token: string) => (await publisher.decide({ placements: [BILLBOARD], preview: token })).body.error
    expect(await refused(`${preview.slice(0, -2)}AA`)).toMatchObject({ code: 'INVALID_REQUEST', field: 'preview' })
    expect(await refused(preview.replace('preview.', ''))).toMatchObject({ field: 'preview' })
    publisher.setClock('2026-03-11T12:00:01Z')
    expect(await refused(preview)).toMatchObject({ field: 'preview' })
    publisher.setClock('2026-03-10T12:00:00Z')
    expect(await refused(preview)).toBeUndefined()
    const forged = await publisher.get(`${publisher.origin}/ads/click?t=preview.x.y`)
    expect(forged.status).toBe(404)
    await expect(linkOf('nothing')).rejects.toMatchObject({ code: 'CREATIVE_NOT_FOUND' })
    await expect(linkOf('banner', { page: 'javascript:alert(1)' })).rejects.toMatchObject({ field: 'page' })
    await expect(linkOf('banner', { days: 400 })).rejects.toMatchObject({ field: 'days' })
  })
})
