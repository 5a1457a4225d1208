import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Assets } from '../../../src/domain/creative/assets.ts'
import { fillMacros } from '../../../src/domain/creative/macros/fill.ts'
import { linkAttribute } from '../../../src/domain/creative/preview/html.ts'
import { renderCreative } from '../../../src/domain/creative/preview/render.ts'

const FORMAT = { agent_url: 'https://ads.example/mcp', id: 'f' }
const render = (assets: Assets, macros = {}) => renderCreative(assets, FORMAT, undefined, macros)

describe('renderCreative', () => {
  test('video and audio get a player', () => {
    const video = render({
      video: { asset_type: 'video', url: 'https://cdn.example/v.mp4', width: 1920, height: 1080, duration_ms: 30000 },
    })
    expect(video).toMatchObject({ dimensions: { width: 1920, height: 1080 }, scripts: false, fullscreen: true })
    expect(video?.html).toMatch(/^<video src="https:\/\/cdn\.example\/v\.mp4" controls/)
    const audio = render({ audio: { asset_type: 'audio', url: 'https://cdn.example/a.mp3' } })
    expect(audio?.html).toMatch(/^<audio src="https:\/\/cdn\.example\/a\.mp3" controls/)
  })

  test('an inline VAST document plays its media file; a tag by address is shown, not fetched', () => {
    const content =
      '<VAST><MediaFiles><MediaFile type="video/mp4"><![CDATA[https://cdn.example/x.mp4?a=1&b=2]]></MediaFile></MediaFiles></VAST>'
    const inline = render({ vast: { asset_type: 'vast', delivery_type: 'inline', content } })
    expect(inline?.html).toContain('<video src="https://cdn.example/x.mp4?a=1&#38;b=2"')
    const tag = render({ vast: { asset_type: 'vast', delivery_type: 'url', url: 'https://tag.example/v?<x>' } })
    expect(tag?.html).toContain('&#60;x&#62;')
    expect(tag?.html).not.toContain('<video')
  })

  test('images and texts make a card, repetitions a row of cards', () => {
    const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 1200, height: 628 } as const
    const text = (content: string) => ({ asset_type: 'text', content }) as const
    const card = render({
      image,
      body: text('Body'),
      headline: text('Headline <b>'),
      click_url: { asset_type: 'url', url: 'https://brand.example/' },
    })
    expect(card?.html).toContain('Headline &#60;b&#62;')
    expect(card?.html.indexOf('Headline')).toBeLessThan(card?.html.indexOf('Body') ?? -1)
    expect(card?.html).toContain('<a href="https://brand.example/"')
    const row = render({
      card_2_image: image,
      card_2_headline: text('Second'),
      card_1_image: image,
      card_1_headline: text('First'),
    })
    expect(row?.html.match(/<img/g)).toHaveLength(2)
    expect(row?.html.indexOf('First')).toBeLessThan(row?.html.indexOf('Second') ?? -1)
  })

  test('what has a size of its own has it as its dimensions; cards, players and texts take the width that there is', () => {
    const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 970, height: 250 } as const
    const layoutOf = (assets: Assets) => render(assets)?.layout
    expect(render({ image })).toMatchObject({ layout: 'fixed', dimensions: { width: 970, height: 250 } })
    // On a phone a picture keeps its shape.
    expect(render({ image })?.html).toContain('max-width:100%;height:auto')
    expect(layoutOf({ image, headline: { asset_type: 'text', content: 'Headline' } })).toBe('cards')
    expect(layoutOf({ html: { asset_type: 'html', content: '<p>' } })).toBe('fluid')
    expect(layoutOf({ a: { asset_type: 'audio', url: 'https://cdn.example/a.mp3' } })).toBe('audio')
    expect(
      layoutOf({ v: { asset_type: 'video', url: 'https://cdn.example/v.mp4', width: 640, height: 360, duration_ms: 1000 } }),
    ).toBe('video')
    expect(layoutOf({ v: { asset_type: 'vast', delivery_type: 'url', url: 'https://t.example/v' } })).toBe('text')
  })

  test('nothing that can be shown is nothing', () => {
    expect(render({})).toBeUndefined()
    expect(render({ image: { asset_type: 'image', url: 'javascript:alert(1)', width: 1, height: 1 } })).toBeUndefined()
  })

  test('no text of the buyer becomes markup', () => {
    const hostile = fc.oneof(
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', 'script', 'img', ' onerror=', '{A}', 'x') }),
      fc.string(),
    )
    fc.assert(
      fc.property(hostile, hostile, hostile, (headline, body, value) => {
        const html = render(
          { headline: { asset_type: 'text', content: headline }, body: { asset_type: 'text', content: body } },
          { A: value },
        )?.html
        const tags = [...(html ?? '').matchAll(/<\/?([a-z]+)/gi)].map(([, name]) => name)
        expect(tags.every((name) => ['div', 'span', 'br'].includes(name ?? ''))).toBe(true)
        const withoutTags = (html ?? '').replace(/<\/?(div|span|br)( style="[^"<>]*")?>/g, '')
        expect(withoutTags).not.toMatch(/[<>"]/)
      }),
    )
  })
})

describe('linkAttribute', () => {
  test('takes web addresses only', () => {
    expect(linkAttribute('https://a.example/?q="x"')).toBe('https://a.example/?q=%22x%22')
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'nothing', ' java\nscript:x']) {
      expect(linkAttribute(bad), bad).toBeUndefined()
    }
  })
})

test('macros without a value stay, and inherited names are no values', () => {
  expect(fillMacros('{A}-{B}-{toString}-{CONSTRUCTOR}', { A: '1' })).toBe('1-{B}-{toString}-{CONSTRUCTOR}')
})
