import { setTimeout as sleep } from 'node:timers/promises'
import { strToU8, zipSync } from 'fflate'
import type { ConsoleClient } from '../../test/support/console-client.ts'
import type { MeasuredAgent } from './agent.ts'
import type { HostileInput } from './hostile.ts'
import { type Ask, send } from './stall.ts'

/** As long as the document of a direct order may be. */
const LONGEST_HTML = 200_000
const PLACE = { place: 'news_home_billboard', sizes: ['970x250'] }
const SIZE = { width: 970, height: 250 }
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const DAY_MS = 86_400_000
/** A running server sees a new line after a moment. */
const ATTEMPTS = 100
const BETWEEN_MS = 100

/** By which a document is known again. */
const markOf = (id: string) => `<!--${id}-->`
const MARK_LENGTH = markOf('document-9').length

const repeated = (start: string, part: string) =>
  start + part.repeat(Math.floor((LONGEST_HTML - MARK_LENGTH - start.length) / part.length))

/** Documents of ads that are code. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  '<head': repeated('', '<head '),
  'macros in a text': repeated('', '{CLICK_URL}'),
  'macros in a script': repeated('<script>', '{CLICK_URL}'),
  'macros in attributes': repeated('<a ', 'href={CLICK_URL} '),
  'slashes in a tag': repeated('<a ', '/'),
  tags: repeated('', '<a>'),
}

/** Creatives that cost much to show or to host: documents are booked, and asked for with tokens of ads that were served; images are uploaded in the console. */
export async function hostileCreatives(agent: MeasuredAgent, person: ConsoleClient): Promise<readonly HostileInput[]> {
  const page = `<html>${markOf('archive')}${'<head '.repeat(160_000)}`
  const bundle = zipSync({ 'index.html': strToU8(page) })
  const { body } = await send(agent.port, upload(person, agent.tenant, 'page.zip', bundle))
  const url = /<code>([^<]+\.html)<\/code>/.exec(body)?.[1]
  if (url === undefined) throw new Error(`an archive was not hosted: ${body.slice(0, 2_000)}`)
  const booked = [
    ...Object.entries(DOCUMENTS).map(([title, html], index) => {
      const id = `document-${index}`
      return { id, title: `a document of ${title}`, content: { html: markOf(id) + html } }
    }),
    { id: 'archive', title: 'a page of an archive with 160,000 <head', content: { html5: { url } } },
  ]
  const frames: HostileInput[] = []
  for (const [index, { id, title, content }] of booked.entries()) {
    // What pays more is shown first.
    const path = await frameOf(agent, id, content, index + 1)
    frames.push({ title: `/ads/frame: ${title}`, ask: () => ({ path, headers: { 'user-agent': CHROME } }) })
  }
  const pictures = Object.entries(hostileJpegs()).map(
    ([title, bytes]): HostileInput => ({
      title: `creatives/files: a JPEG of 1.9 MB of ${title}`,
      ask: () => upload(person, agent.tenant, 'a.jpg', bytes),
    }),
  )
  return [...frames, ...pictures]
}

/** Books a creative, and gives the path of the document that a page gets for it. The order stays: with its end its ads are gone. */
async function frameOf(
  { port, adminKey, tenant }: MeasuredAgent,
  order_id: string,
  content: object,
  cpm: number,
): Promise<string> {
  const creative = { creative_id: order_id, ...SIZE, click_url: 'https://brand.example/', ...content }
  const flight = { starts_at: new Date(Date.now() - DAY_MS).toISOString(), ends_at: new Date(Date.now() + DAY_MS).toISOString() }
  const line = { line_id: order_id, product_id: 'news_homepage_display', priority: 'standard', ...flight, cpm }
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const document = { order_id, name: order_id, lines: [{ ...line, creatives: [creative] }] }
  const put = { method: 'PUT', path: '/admin/v1/direct-orders', headers, body: JSON.stringify({ document }) }
  const entered = await send(port, put)
  if (entered.status >= 300) throw new Error(`${order_id}: ${entered.body.slice(0, 1_000)}`)
  const decide: Ask = {
    method: 'POST',
    path: `/ads/${tenant}/decide`,
    headers: { 'user-agent': CHROME },
    body: JSON.stringify({ placements: [PLACE] }),
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { body } = await send(port, decide)
    const frame = JSON.parse(body).placements?.[0]?.ad?.frame_url
    const path = typeof frame === 'string' ? pathOf(frame) : undefined
    if (path !== undefined && (await send(port, { path })).body.includes(markOf(order_id))) return path
    await sleep(BETWEEN_MS)
  }
  throw new Error(`${order_id} is not shown`)
}

const pathOf = (address: string) => new URL(address).pathname + new URL(address).search

function upload({ csrf, cookie = '', origin }: ConsoleClient, tenant: string, name: string, bytes: Uint8Array): Ask {
  const head = `--part\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n--part\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    method: 'POST',
    path: `/console/t/${tenant}/creatives/files`,
    headers: { cookie, origin, 'content-type': 'multipart/form-data; boundary=part' },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--part--\r\n')]),
  }
}

const JPEG_BYTES = 1_900_000

/** Images whose header a decoder looks for behind everything else. */
function hostileJpegs(): Readonly<Record<string, Buffer>> {
  const segment = (marker: number, length: number) => {
    const bytes = Buffer.alloc(length + 2)
    bytes.set([0xff, marker, length >> 8, length & 0xff])
    return bytes
  }
  // ITU-T T.81, B.2.2: a progressive frame of 65,535 × 65,535 pixels.
  const frame = Buffer.from('ffc20011080000ffff03012200021101031101', 'hex').fill(0xff, 5, 9)
  // B.2.3: a scan of one component.
  const scan = Buffer.from('ffda00080101000000000000', 'hex')
  const filled = (part: Buffer, end: Buffer = frame) =>
    Buffer.concat([
      Buffer.from('ffd8', 'hex'),
      Buffer.alloc(Math.floor(JPEG_BYTES / part.length) * part.length, part),
      end,
      Buffer.from('ffd9', 'hex'),
    ])
  return {
    'the shortest segments': filled(segment(0xe2, 2)),
    'segments without a length': filled(segment(0xe1, 2).fill(0, 2)),
    'the longest segments': filled(segment(0xe2, 65_535)),
    'progressive scans': filled(scan),
    'progressive scans behind its size': filled(scan, scan).fill(frame, 2, 2 + frame.length),
    'one byte': filled(Buffer.from('ff', 'hex')),
  }
}
