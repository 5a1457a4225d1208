import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MOST_BYTES } from '../../src/ad-serving/embedded/files/host-content.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { pngOf } from '../support/creative-files.ts'
import { listAuditEntries } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let ada: ConsoleClient
let path: string
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  ada = await signedIn(agent, 'ada', 'administrator')
  path = `/console/t/${agent.tenant}/creatives/files`
  expect((await ada.get(path)).status).toBe(200)
})
afterAll(() => agent?.stop())

const bytes = (content: Buffer | string) => new Uint8Array(Buffer.from(content))

async function storedFiles(): Promise<number> {
  return (await agent.server.store.read.selectFrom('embedded_files').select('file_id').execute()).length
}

describe('a file that people host in the console', () => {
  it('is served from the address that the page shows, cacheable, by its content', async () => {
    const banner = pngOf(300, 250)
    // The name and the type that the browser gives say something else.
    const { status, text } = await ada.upload(path, { name: 'banner.html', text: bytes(banner), type: 'text/html' })
    expect(status, text).toBe(200)
    const url = /href="(https?:[^"]+\/ads\/files\/[^"]+)"/.exec(text)?.[1] ?? ''
    expect(url).toMatch(/\/ads\/files\/demo\/[0-9a-f]{32}\.png$/)
    const file = await fetch(url)
    expect(Buffer.from(await file.arrayBuffer()).equals(banner)).toBe(true)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
    })
    await agent.server.audit.settled()
    const operator = operatorOn(agent.server.store, agent.config)
    const audit = JSON.stringify(await listAuditEntries(operator, agent.tenant, { limit: 5 }))
    expect(audit).toContain('creatives.upload')
    expect(audit).toContain('banner.html')
  })

  it.each([
    ['an SVG that says it is a PNG', 'a.png', 'image/png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['an XML declaration before an SVG', 'a.gif', 'image/gif', '<?xml version="1.0"?><svg onload="alert(1)"/>'],
    ['HTML that says it is a JPEG', 'a.jpg', 'image/jpeg', '<!doctype html><script>alert(1)</script>'],
    ['the first bytes of a PNG before HTML', 'b.png', 'image/png', '\u0089PNG\r\n\u001a\n<script>alert(1)</script>'],
    ['nothing that is known', 'a.webp', 'image/webp', 'RIFF____WAVE'],
  ])('%s is refused, and nothing is stored', async (_what, name, type, content) => {
    const before = await storedFiles()
    const { status, text } = await ada.upload(path, { name, type, text: bytes(Buffer.from(content, 'latin1')) })
    expect(status, text).toBe(400)
    expect(text).toMatch(/role="alert">.*of an unknown type; send a PNG, JPEG, GIF or WebP image/)
    expect(text).not.toContain('<script>alert')
    expect(await storedFiles()).toBe(before)
  })

  it.each([
    ['that is no archive', Buffer.from('PK\u0003\u0004', 'latin1'), 'is no zip archive that can be read'],
    ['without a page', zipSync({ 'a.css': strToU8('p{}') }), 'has no page index.html'],
    ['with a program in it', zipSync({ 'index.html': strToU8('a'), 'a.exe': strToU8('b') }), 'files may end with'],
  ])('an archive %s is refused', async (_what, content, reason) => {
    const { status, text } = await ada.upload(path, { name: 'a.zip', text: bytes(Buffer.from(content)) })
    expect([status, text]).toEqual([400, expect.stringContaining(reason)])
  })

  it('an archive is unpacked, and its page is served beside its files', async () => {
    const files = { 'banner/index.html': strToU8('<!doctype html><p>Hello</p>'), 'banner/a.css': strToU8('p{}') }
    const { text } = await ada.upload(path, { name: 'banner.zip', text: bytes(Buffer.from(zipSync(files))) })
    const url = /href="(https?:[^"]+\/banner\/index\.html)"/.exec(text)?.[1] ?? ''
    const page = await fetch(url)
    expect([page.headers.get('content-type'), await page.text()]).toEqual([
      'text/html; charset=utf-8',
      '<!doctype html><p>Hello</p>',
    ])
    expect((await fetch(new URL('a.css', url))).headers.get('content-type')).toContain('text/css')
  })

  it('that is an image and a script at once is an image for every browser', async () => {
    const both = Buffer.concat([pngOf(2, 2), Buffer.from('<script>alert(1)</script>')])
    const { text } = await ada.upload(path, { name: 'both.html', type: 'text/html', text: bytes(both) })
    const url = /href="(https?:[^"]+\/ads\/files\/[^"]+)"/.exec(text)?.[1] ?? ''
    const { headers } = await fetch(url)
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual(['image/png', 'nosniff'])
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  })

  it('is refused when it is larger than its type may be, and when the form has none', async () => {
    const large = Buffer.concat([pngOf(2, 2), Buffer.alloc(MOST_BYTES.image)])
    const refused = await ada.upload(path, { name: 'large.png', text: bytes(large) })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`may have ${MOST_BYTES.image}`)])
    const beyond = await ada.upload(path, { name: 'movie.mp4', text: new Uint8Array(17 * 1024 * 1024) })
    expect([beyond.status, beyond.text]).toEqual([413, expect.stringContaining('larger than 16384 KiB')])
    const none = await ada.upload(path, { name: '', text: '' })
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('choose a file')])
  })

  it('a name that is markup is shown as text', async () => {
    const { text } = await ada.upload(path, { name: '"><img src=x onerror=alert(1)>.png', text: bytes(pngOf(2, 2)) })
    expect(text).not.toContain('<img src=x')
  })

  it('is for people who sell: others are refused, and so is a form without its token', async () => {
    const viewer = await signedIn(agent, 'vera', 'viewer', agent.tenant)
    expect((await viewer.get(path)).status).toBe(403)
    expect((await viewer.upload(path, { name: 'a.png', text: bytes(pngOf(2, 2)) })).status).toBe(403)
    const forged = await ada.upload(path, { name: 'a.png', text: bytes(pngOf(2, 2)) }, { csrf: 'x' })
    expect(forged.status).toBe(403)
  })
})
