import { XMLParser } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { snippetOf } from '../../src/ad-serving/upstream/creative-snippet.ts'
import { BANNER } from '../support/ad-server-orders.ts'

const snippet = (assets: object) => snippetOf({ ...BANNER, ...JSON.parse(JSON.stringify({ assets })) })
const headline = { asset_type: 'text', content: 'Boots for every path' }
const click_url = { asset_type: 'url', url: 'https://shop.example' }
const image = { asset_type: 'image', url: 'https://cdn.example/a.png?a=1&b=2', width: 300, height: 250 }
const video = { asset_type: 'video', url: 'https://cdn.example/a.mp4', width: 1920, height: 1080, duration_ms: 30_000 }
const IMG = '<img src="https://cdn.example/a.png?a=1&amp;b=2" width="300" height="250" alt="">'

describe('what a seller over HTTP is given of a creative', () => {
  test.each([
    ['markup', { image, html: { asset_type: 'html', content: '<b>Ad</b>' } }, '<b>Ad</b>'],
    ['a script', { js: { asset_type: 'javascript', content: 'show()' } }, '<script>show()</script>'],
    ['an image, whatever texts stand before it', { headline, click_url, image }, IMG],
    [
      'a video file',
      { click_url, video },
      '<video src="https://cdn.example/a.mp4" width="1920" height="1080" controls muted playsinline></video>',
    ],
    ['VAST', { tag: { asset_type: 'vast', delivery_type: 'inline', content: '<VAST version="4.2"/>' } }, '<VAST version="4.2"/>'],
  ])('%s', (_name, assets, expected) => expect(snippet(assets)).toBe(expected))

  test('VAST that leads to a tag', () => {
    const url = 'https://ads.example/vast?a=1&b=2'
    const { VAST } = new XMLParser().parse(snippet({ tag: { asset_type: 'vast', delivery_type: 'url', url } }))
    expect(VAST.Ad.Wrapper).toMatchObject({ VASTAdTagURI: url, AdSystem: 'AdCP' })
  })

  test.each([
    ['an archive', { bundle: { asset_type: 'zip', url: 'https://cdn.example/a.zip' }, click_url }],
    ['a text alone', { headline }],
    ['sound', { spot: { asset_type: 'audio', url: 'https://cdn.example/a.mp3' } }],
  ])('nothing is shown of %s, so it is refused', (_name, assets) =>
    expect(() => snippet(assets)).toThrow(`shows nothing of creative ${BANNER.externalId}`),
  )
})
