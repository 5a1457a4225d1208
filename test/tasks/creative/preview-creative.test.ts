import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { banner, startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startCreativeAgent()
})
afterAll(() => agent.stop())

const preview = (args: object) => agent.buyer.call('preview_creative', args)
const manifest = (more: object = {}) => {
  const { format_id, assets } = banner(agent.url, 'x')
  return { format_id, assets, ...more }
}
const single = (creative_manifest: object, more: object = {}) => preview({ request_type: 'single', creative_manifest, ...more })

describe('preview_creative', () => {
  it('gives an address that shows the creative, in a page that can do nothing', async () => {
    const { data } = await single(manifest())
    expect(data).toMatchObject({ response_type: 'single', expires_at: '2026-03-02T12:00:00.000Z' })
    const [render] = data.previews[0].renders
    expect(render).toMatchObject({ output_format: 'url', role: 'primary', dimensions: { width: 300, height: 250 } })
    expect(new URL(render.preview_url).origin).toBe(new URL(agent.url).origin)
    const page = await fetch(render.preview_url)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/sandbox allow-popups$/)
    expect(policy).not.toContain('script-src')
    expect(page.headers.get('x-frame-options')).toBeNull()
    const html = await page.text()
    expect(html).toContain('<img src="https://cdn.example/banner.png"')
  })

  it('assets and macros that make too much together are refused, in a batch too', async () => {
    const html = {
      format_id: { agent_url: agent.url, id: 'display_300x250_html5' },
      assets: { html: { asset_type: 'html', content: '{CLICK_URL}'.repeat(17_000) } },
    }
    const inputs = Array.from({ length: 50 }, (_, index) => ({
      name: `n${index}`,
      macros: { CLICK_URL: `https://click.example/${'x'.repeat(200)}${index}` },
    }))
    const refused = { code: 'INVALID_REQUEST', field: 'inputs', message: expect.stringContaining('50 previews') }
    expect((await single(html, { inputs })).data.adcp_error).toMatchObject(refused)
    const batch = await preview({ request_type: 'batch', requests: [{ creative_manifest: html, inputs }] })
    expect(batch.data.adcp_error).toMatchObject({ ...refused, field: 'requests' })
    const long = [{ name: 'n', macros: { CLICK_URL: 'x'.repeat(200_000) } }]
    expect((await single(html, { inputs: long })).data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST' })
    expect((await single(html, { inputs: [{ name: 'n', macros: { CLICK_URL: 'https://a.example' } }] })).isError).toBe(false)
  })

  it('shows the items of a catalog, where a creative has nothing else to show', async () => {
    const items = [
      {
        item_id: 'a',
        title: 'Walking <shoe> {CLICK_URL}',
        url: 'https://shop.example/a',
        price: { amount: 80, currency: 'EUR' },
      },
      { item_id: 'b', title: 'Sandal', url: 'javascript:alert(1)', image_url: 'https://cdn.example/b.png' },
    ]
    const feed = {
      format_id: { agent_url: agent.url, id: 'display_300x250_catalog' },
      assets: { catalog: { asset_type: 'catalog', type: 'product', items } },
    }
    const { data } = await single(feed, { output_format: 'html' })
    const html = data.previews?.[0].renders[0].preview_html
    expect(html, JSON.stringify(data)).toContain('Walking &#60;shoe&#62; {')
    for (const part of ['href="https://shop.example/a"', '80.00 EUR', 'Sandal', 'src="https://cdn.example/b.png"'])
      expect(html).toContain(part)
    expect(html).not.toContain('javascript:')
    // As a story of AdCP 3.1 asks for it.
    const asked = (await single(feed, { format: 'html' })).data
    expect([asked.previews[0].renders[0].output_format, asked.ext]).toEqual(['html', undefined])
    const batch = await preview({ request_type: 'batch', requests: [{ creative_manifest: feed }] })
    expect(batch.data.results).toMatchObject([{ success: true }])
    const absent = { ...feed, assets: { catalog: { asset_type: 'catalog', type: 'product', catalog_id: 'never-synced' } } }
    expect((await single(absent)).data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    const text = { asset_type: 'text', content: 'A headline' }
    const { data: withText } = await single(
      { ...absent, assets: { ...absent.assets, headline: text } },
      { output_format: 'html' },
    )
    expect(withText.previews[0].renders[0].preview_html).toContain('A headline')
    const often = Array.from({ length: 5000 }, (_, index) => ({ name: `n${index}` }))
    expect((await single(feed, { inputs: often })).data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'inputs' })
  })

  it('an address that is guessed, expired or written to shows nothing', async () => {
    const { data } = await single(manifest())
    const url = data.previews[0].renders[0].preview_url
    expect((await fetch(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    agent.setClock('2026-03-02T12:00:01Z')
    expect((await fetch(url)).status).toBe(404)
    agent.setClock('2026-03-01T12:00:00Z')
  })

  it('gives HTML when asked, once for each set of inputs, with its macros', async () => {
    const { data } = await single(manifest(), {
      output_format: 'html',
      inputs: [{ name: 'one', macros: { MEDIA_BUY_ID: 'mb 1&2' } }, { name: 'two' }],
    })
    expect(data.previews.map((each: { input: { name: string } }) => each.input.name)).toEqual(['one', 'two'])
    const [one] = data.previews[0].renders
    expect(one).toMatchObject({ output_format: 'html' })
    expect(one.preview_html).toContain('c=mb%201%262')
    expect(one).not.toHaveProperty('preview_url')
  })

  it('runs third-party code only in a frame of its own', async () => {
    const code = '<p>hi</p><script>alert("1")</script>'
    const { data } = await single({
      format_id: { agent_url: agent.url, id: 'display_300x250_html5' },
      assets: { html: { asset_type: 'html', content: code } },
    })
    const page = await fetch(data.previews[0].renders[0].preview_url)
    expect(page.headers.get('content-security-policy')).toMatch(/sandbox allow-scripts allow-popups$/)
    const html = await page.text()
    expect(html).not.toContain('<script>')
    expect(html).toContain('sandbox="allow-scripts allow-popups"')
    expect(html).toContain('&#60;script&#62;')
  })

  it('names what is missing', async () => {
    const { data } = await single(manifest({ assets: {} }))
    expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'creative_manifest.assets.image' })
    const unknown = await single(manifest({ format_id: { agent_url: 'https://nobody.example', id: 'x' } }))
    expect(unknown.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'creative_manifest.format_id' })
    const incomplete = await preview({ request_type: 'single' })
    expect(incomplete.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'creative_manifest' })
  })

  it('a batch item that fails stops no other', async () => {
    const { data } = await preview({
      request_type: 'batch',
      output_format: 'html',
      requests: [{ creative_manifest: manifest({ creative_id: 'mine' }) }, { creative_manifest: manifest({ assets: {} }) }],
    })
    expect(data.response_type).toBe('batch')
    expect(data.results[0]).toMatchObject({ success: true, creative_id: 'mine' })
    expect(data.results[0].response.previews[0].renders[0].preview_html).toContain('<img')
    expect(data.results[1]).toMatchObject({
      success: false,
      creative_id: 'requests[1]',
      errors: [{ code: 'VALIDATION_ERROR', field: 'requests[1].creative_manifest.assets.image' }],
    })
  })

  it('shows a library creative as its one variant, to its own agent only', async () => {
    await agent.run('sync_creatives', { creatives: [banner(agent.url, 'lib')] })
    const { data } = await preview({ request_type: 'variant', variant_id: 'lib' })
    expect(data).toMatchObject({
      response_type: 'variant',
      variant_id: 'lib',
      creative_id: 'lib',
      previews: [{ renders: [{ output_format: 'url' }] }],
      manifest: { format_id: { id: 'display_300x250' } },
    })
    const other = agent.client(await agent.addBuyer({ principal: 'other' }))
    const reply = await other.call('preview_creative', { request_type: 'variant', variant_id: 'lib' })
    expect(reply.data.adcp_error).toMatchObject({ code: 'CREATIVE_NOT_FOUND', field: 'variant_id' })
  })
})
