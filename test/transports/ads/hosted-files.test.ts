import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MOST_BYTES } from '../../../src/ad-serving/embedded/files/host-content.ts'
import type { OrderKey } from '../../../src/domain/ad-serving/desired-order.ts'
import { FetchFailure } from '../../../src/platform/net/fetch-policy.ts'
import { sweepEmbeddedFiles } from '../../../src/store/embedded/files.ts'
import { type AdPublisher, format, startAdPublisher } from '../../support/ad-publisher.ts'
import { type AtAddress, fetchFrom, pngOf } from '../../support/creative-files.ts'

const files = new Map<string, AtAddress>()
let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher({ safeFetch: fetchFrom(files), flags: { 'ads.creativeFiles': 'hosted' } })
})
afterAll(() => publisher.stop())

const PNG = pngOf(970, 250)
/** Longer than two parts of the store. */
const VIDEO = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.from('\x42\x82\x84webm', 'latin1'), Buffer.alloc(900_000, 7)])

const asset = (assets: object, id = 'display_970x250') => ({
  name: JSON.stringify(assets).slice(0, 60),
  formatId: format(id),
  assets: { ...assets },
})
const image = (url: string) => asset({ image: { asset_type: 'image', url, width: 970, height: 250, format: 'png' } })
const zip = (url: string, more: object = {}) => asset({ html: { asset_type: 'zip', url, ...more } })
const place = { place: 'news_home_billboard', sizes: ['970x250'] }

/** What the ad server says of the only creative of an order. */
async function reviewOf(order: OrderKey) {
  return (await publisher.backend.observe(order))?.creatives[0]?.review
}

let number = 0
/** Books a creative by itself, shows what it is refused for, and ends it. */
async function refusalOf(creative: ReturnType<typeof asset>): Promise<string | undefined> {
  number += 1
  const order = await publisher.sell(`refused-${number}`, creative)
  await publisher.backend.setOrderState(order, 'ended')
  return (await reviewOf(order))?.reason
}

describe('hosted files of creatives', () => {
  it('are served from the origin of ads, cacheable and harmless', async () => {
    files.set('https://cdn.example/a.png', PNG)
    const order = await publisher.sell('image', 'image')
    expect(await reviewOf(order)).toBeUndefined()
    const { body } = await publisher.decide({ placements: [place] })
    const url: string = Reflect.get(Reflect.get(body.placements[0]?.ad ?? {}, 'image'), 'url')
    expect(url).toMatch(new RegExp(`^${publisher.origin}/ads/files/demo/[0-9a-f]{32}\\.png$`))
    const answer = await publisher.get(url)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    const again = await publisher.get(url, { 'If-None-Match': answer.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    // What was approved is what is served, whatever the buyer's server says later.
    files.set('https://cdn.example/a.png', 404)
    expect((await publisher.get(url)).status).toBe(200)
    await publisher.backend.setOrderState(order, 'ended')
  })

  it('are served in part: players seek in a video', async () => {
    files.set('https://cdn.example/v.mp4', VIDEO)
    await publisher.sell('video', 'video', { productId: 'sports_preroll_q2' })
    const ask = async () => (await publisher.get(`${publisher.origin}/ads/demo/vast?place=sports_preroll_q2`)).text()
    // The type is that of the content; the buyer called it MP4.
    await expect.poll(ask, { timeout: 60_000 }).toContain('type="video/webm"')
    const vast = await ask()
    const url = /<MediaFile[^>]*><!\[CDATA\[([^\]]+)/.exec(vast)?.[1] ?? ''
    const part = await publisher.get(url, { Range: 'bytes=393210-786450' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 393210-786450/${VIDEO.length}`])
    expect(Buffer.from(await part.arrayBuffer())).toEqual(VIDEO.subarray(393_210, 786_451))
    expect((await publisher.get(url, { Range: 'bytes=900100-' })).status).toBe(416)
  })

  it('are refused with the reason that a buyer needs', async () => {
    const at = (name: string, what: AtAddress) => {
      files.set(`https://cdn.example/${name}`, what)
      return `https://cdn.example/${name}`
    }
    expect(await refusalOf(image(at('text.png', Buffer.from('<svg onload=alert(1)>'))))).toContain(
      'of an unknown type, not a PNG',
    )
    expect(await refusalOf(image(at('video.png', VIDEO)))).toContain('is of type video/webm, not a PNG')
    expect(await refusalOf(image(at('shape.png', pngOf(300, 250))))).toContain('has 300x250 pixels; the place takes 970x250')
    expect(await refusalOf(image(at('sharp.png', pngOf(1940, 500))))).toBeUndefined()
    expect(await refusalOf(image(at('gone.png', 404)))).toContain('its server answered 404')
    expect(await refusalOf(image(at('huge.png', Buffer.concat([PNG, Buffer.alloc(MOST_BYTES.image)]))))).toContain(
      `at most ${MOST_BYTES.image} bytes`,
    )
    expect(await refusalOf(image(at('plain.png', new FetchFailure('not_https', 'the address is not https'))))).toContain(
      'not https',
    )
  })

  it('are fetched again when they cannot be fetched for now, and nothing is said of what is in our network', async () => {
    files.set('https://cdn.example/busy.png', 503)
    await expect(publisher.sell('busy', image('https://cdn.example/busy.png'))).rejects.toThrow('answered 503')
    files.set('https://inside.example/a.png', new FetchFailure('reserved_address', '10.0.0.1 is reserved'))
    await expect(publisher.sell('inside', image('https://inside.example/a.png'))).rejects.toThrow(/the host cannot be reached$/)
    await expect(publisher.sell('nowhere', image('https://nowhere.example/a.png'))).rejects.toThrow(/the host cannot be reached$/)
    files.set('https://cdn.example/busy.png', PNG)
    expect(await reviewOf(await publisher.sell('busy', image('https://cdn.example/busy.png')))).toBeUndefined()
    await publisher.backend.setOrderState({ tenantId: 'demo', externalId: 'busy' }, 'ended')
  })

  it('of an HTML5 archive are unpacked, and its page runs without an origin', async () => {
    const page =
      '<!doctype html><html><head><script>var clickTag = "https://own.example/"</script></head><body><script src="js/main.js"></script></body></html>'
    const archive = Buffer.from(
      zipSync({ 'index.html': strToU8(page), 'js/main.js': strToU8('window.ran = true'), '__MACOSX/x': strToU8('') }),
    )
    files.set('https://cdn.example/banner.zip', archive)
    const order = await publisher.sell('archive', zip('https://cdn.example/banner.zip'))
    expect(await reviewOf(order)).toBeUndefined()
    const frameUrl = async () => (await publisher.decide({ placements: [place] })).body.placements[0]?.ad?.frame_url
    await expect.poll(frameUrl, { timeout: 60_000 }).toContain('/ads/frame?t=')
    const frame = await publisher.get((await frameUrl()) ?? '')
    const document = await frame.text()
    expect(frame.headers.get('content-security-policy')).toContain('sandbox allow-scripts')
    expect(document).toContain('window.clickTag=')
    const base = /<base href="([^"]+)"/.exec(document)?.[1] ?? ''
    const script = await publisher.get(new URL('js/main.js', base).href)
    expect([script.headers.get('content-type'), await script.text()]).toEqual([
      'text/javascript; charset=utf-8',
      'window.ran = true',
    ])
    const opened = await publisher.get(new URL('index.html', base).href)
    expect(opened.headers.get('content-security-policy')).toContain('sandbox allow-scripts')
    expect((await publisher.get(new URL('other.js', base).href)).status).toBe(404)
    expect((await publisher.get(`${base}..%2f..%2fx`)).status).toBe(404)
    expect((await publisher.get(`${base}%E0%A4%A`)).status).toBe(404)
    await publisher.backend.setOrderState(order, 'ended')
  })

  it('of an HTML5 archive are checked', async () => {
    const at = (name: string, content: Readonly<Record<string, string>>) => {
      const url = `https://cdn.example/${name}.zip`
      files.set(
        url,
        Buffer.from(zipSync(Object.fromEntries(Object.entries(content).map(([path, text]) => [path, strToU8(text)])))),
      )
      return url
    }
    expect(await refusalOf(zip(at('no-page', { 'a.js': '' })))).toContain('has no page index.html')
    expect(await refusalOf(zip(at('up', { 'index.html': '', '../a.js': '' })))).toContain('leads out of it')
    expect(await refusalOf(zip(at('php', { 'index.html': '', 'a.php': '' })))).toContain('has a.php')
    expect(
      await refusalOf(zip(at('listed', { 'index.html': '', 'a.js': '' }), { allowed_inner_extensions: ['html'] })),
    ).toContain('does not list')
    expect(
      await refusalOf(zip(at('many', Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.js`, '']))))),
    ).toContain('more than 200 files')
    expect(await refusalOf(zip(at('bomb', { 'index.html': '0'.repeat(25_000_000) })))).toContain('unpacks to more than')
    const large = Buffer.from(zipSync({ 'index.html': strToU8('0'.repeat(25_000_000)) }))
    files.set('https://cdn.example/small.zip', withDeclaredSize(large, 25_000_000, 100))
    expect(await refusalOf(zip('https://cdn.example/small.zip'))).toContain('unpacks to more than')
    expect(await refusalOf(zip(at('other', { 'index.html': '' }), { digest: `sha256:${'0'.repeat(64)}` }))).toContain(
      'has the digest',
    )
    files.set('https://cdn.example/broken.zip', Buffer.from('504b0304ffff', 'hex'))
    expect(await refusalOf(zip('https://cdn.example/broken.zip'))).toContain('is no zip archive that can be read')
  })

  it('stay as long as a creative uses them', async () => {
    const { store } = publisher.server
    const count = async () => (await store.read.selectFrom('embedded_files').select('file_id').execute()).length
    const sweep = (before: string) => store.transaction((tx) => sweepEmbeddedFiles(tx, new Date(before), 100))
    const before = await count()
    expect(before).toBeGreaterThan(2)
    await sweep('2026-03-12T00:00:00Z')
    expect(await count()).toBe(before)
    await store.transaction((tx) => tx.deleteFrom('embedded_file_uses').execute())
    // What was written lately may be on its way to a creative.
    await sweep('2026-03-09T00:00:00Z')
    expect(await count()).toBe(before)
    await sweep('2026-03-12T00:00:00Z')
    expect(await count()).toBe(0)
    expect(await store.read.selectFrom('embedded_file_parts').select('part').execute()).toEqual([])
    expect(await store.read.selectFrom('embedded_bundle_files').select('path').execute()).toEqual([])
  })
})

/** The archive with another size of its one file in both of its headers (APPNOTE 4.4.9). */
function withDeclaredSize(archive: Buffer, from: number, to: number): Buffer {
  const changed = Buffer.from(archive)
  const sought = Buffer.alloc(4)
  sought.writeUInt32LE(from)
  for (let at = changed.indexOf(sought); at >= 0; at = changed.indexOf(sought, at + 4)) changed.writeUInt32LE(to, at)
  return changed
}
