import { expect, test } from 'vitest'
import { readVast, vastOfAssets, withQuartiles } from '../../../src/domain/creative/preview/player.ts'

const cdata = (text: string) => `<![CDATA[${text}]]>`
const LINEAR = `<VAST version="4.2"><Ad><InLine><Impression>${cdata('https://t.example/1')}</Impression><Impression id="b">https://t.example/2</Impression>
<Creatives><Creative><Linear><TrackingEvents><Tracking event="start">${cdata('https://t.example/s')}</Tracking>
<Tracking offset="00:00:01" event="midpoint">https://t.example/m</Tracking><Tracking event="midpoint">https://t.example/n</Tracking></TrackingEvents>
<VideoClicks><ClickThrough>${cdata('https://brand.example/?a=1&b=2')}</ClickThrough></VideoClicks>
<MediaFiles><MediaFile type="video/mp4">https://cdn.example/v.mp4?a=1&amp;b=2</MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`

test('a VAST document says its video, its click, and what it calls', () => {
  expect(readVast(LINEAR)).toEqual({
    media: 'https://cdn.example/v.mp4?a=1&b=2',
    clickThrough: 'https://brand.example/?a=1&b=2',
    calls: { impression: 2, start: 1, midpoint: 2 },
  })
  const wrapper = `<VAST><Ad><Wrapper><VASTAdTagURI>${cdata('https://next.example/v')}</VASTAdTagURI></Wrapper></Ad></VAST>`
  expect(readVast(wrapper)).toEqual({ wrapped: 'https://next.example/v', calls: {} })
  expect(readVast('<html>no VAST</html>')).toEqual({ calls: {} })
})

test.each([
  ['start tags that never end', '<MediaFile '.repeat(20_000)],
  ['elements that never end', '<Tracking event="start">'.repeat(10_000)],
  ['events without a name', `<Tracking ${'event="'.repeat(30_000)}>x</Tracking>`],
])('%s are read in linear time', (_what, text) => {
  const began = performance.now()
  readVast(text)
  expect(performance.now() - began).toBeLessThan(500)
})

test('the player shows each quartile with the number of addresses that it calls', () => {
  const html = withQuartiles('<video></video>', readVast(LINEAR))
  expect(html.match(/data-at="[\d.]+"/g)).toEqual(['0', '0.25', '0.5', '0.75', '1'].map((at) => `data-at="${at}"`))
  expect(html).toContain('50 %<br><small>2 addresses called')
  expect(html).toContain('25 %<br><small>0 addresses called')
  expect(withQuartiles('<video></video>', {})).not.toContain('called')
})

test('a creative has its VAST inline or by address', () => {
  expect(vastOfAssets({ v: { asset_type: 'vast', delivery_type: 'inline', content: '<VAST/>' } })).toEqual({ inline: '<VAST/>' })
  expect(vastOfAssets({ v: { asset_type: 'vast', delivery_type: 'url', url: 'https://t.example/v' } })).toEqual({
    url: 'https://t.example/v',
  })
  expect(vastOfAssets({ t: { asset_type: 'text', content: 'x' } })).toBeUndefined()
})
