import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AdPublisher, format, startAdPublisher } from '../../support/ad-publisher.ts'

const tracker = (event: string) => ({
  asset_type: 'url' as const,
  url: `https://track.example/${event}?cb={CACHEBUSTER}`,
  url_type: 'tracker_pixel' as const,
  tracker_event: event,
})
const trackers = {
  seen: tracker('viewable_mrc_50'),
  clicked: tracker('click'),
  impression_tracker: tracker('impression'),
  never: tracker('viewable_video_50'),
}
const click_url = { asset_type: 'url' as const, url: 'https://shop.example/', url_type: 'clickthrough' as const }
const image = { asset_type: 'image' as const, url: 'https://cdn.example/a.png', width: 970, height: 250 }
const video = { asset_type: 'video' as const, url: 'https://cdn.example/v.mp4', width: 1280, height: 720, duration_ms: 15_000 }

let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher()
  const creative = (id: string, assets: object) => ({ name: id, formatId: format(id), assets: { ...assets, ...trackers } })
  await publisher.sell('mb_image', creative('display_970x250', { image, click_url }))
  await publisher.sell('mb_video', creative('video_15s', { video, click_url }), { productId: 'sports_preroll_q2' })
})
afterAll(() => publisher?.stop())

it('pages get the trackers of each event that they can tell', async () => {
  const { body } = await publisher.decide({ placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }] })
  const { trackers: shown, view_trackers, click_trackers } = { ...body.placements[0]?.ad } as Record<string, string[]>
  expect(shown).toEqual([expect.stringMatching(/^https:\/\/track\.example\/impression\?cb=[\w-]{20,}$/)])
  expect(view_trackers).toEqual([expect.stringContaining('https://track.example/viewable_mrc_50?')])
  expect(click_trackers).toEqual([expect.stringContaining('https://track.example/click?')])
})

it('players get them in the document', async () => {
  const answer = await publisher.get(`${publisher.origin}/ads/demo/vast?place=sports_preroll_q2&v=4.2`)
  const xml = await answer.text()
  expect(xml).toMatch(/<Impression><!\[CDATA\[https:\/\/track\.example\/impression\?/)
  expect(xml).toMatch(
    /<ViewableImpression>.*<Viewable><!\[CDATA\[https:\/\/track\.example\/viewable_mrc_50\?.*<\/ViewableImpression>/,
  )
  expect(xml).toMatch(/<VideoClicks><ClickThrough>.*<ClickTracking><!\[CDATA\[https:\/\/track\.example\/click\?/)
  expect(xml).not.toContain('viewable_video_50')
})
