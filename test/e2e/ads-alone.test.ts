import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { CHROME } from '../support/ad-publisher.ts'
import { pngOf } from '../support/creative-files.ts'

/** A publisher whose ads are served by processes of their own, without an agent. */
const line = new CommandLine()
const BANNER = pngOf(300, 250)
const PATIENCE = 120_000
beforeAll(async () => {
  await line.json('init', '--demo')
}, PATIENCE)
afterAll(() => line.close())

const inFolder = (name: string, content: string | Buffer) => {
  const path = join(line.folder, name)
  writeFileSync(path, content)
  return path
}
const get = (url: string) => fetch(url, { headers: { 'User-Agent': CHROME }, signal: AbortSignal.timeout(60_000) })

/** Addresses name the public origin, which one process of a test is not at. */
const at = (server: Served, address: string) => {
  const { pathname, search } = new URL(address)
  return `${server.origin}${pathname}${search}`
}

async function adOf(server: Served): Promise<string> {
  return (await get(`${server.origin}/ads/demo/decide?place=ros_display&sizes=300x250`)).text()
}

test(
  'what people upload and sell is served and counted by a process that serves ads alone',
  async () => {
    const uploaded = await line.json('creatives', 'upload', inFolder('banner.png', BANNER))
    expect(uploaded).toMatchObject({ mime_type: 'image/png', size: BANNER.length, width: 300, height: 250 })
    const refused = await line.run(['creatives', 'upload', inFolder('banner.svg', '<svg/>'), '--data', line.data])
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('banner.svg')])

    const day = 86_400_000
    const [starts_at, ends_at] = [-day, 30 * day].map((ms) => new Date(Date.now() + ms).toISOString())
    const creative = { creative_id: 'banner', width: 300, height: 250, image: { url: uploaded.url } }
    const lines = [{ line_id: 'a', product_id: 'ros_display', priority: 'standard', starts_at, ends_at, creatives: [creative] }]
    const order = inFolder('order.json', JSON.stringify({ order_id: 'own', name: 'Own', lines }))
    await line.json('direct-orders', 'put', order)

    // Two processes on one store: each event counts once, whichever gets it.
    const [first, second] = [await line.serve(['--only', 'ads']), await line.serve(['--only', 'ads'])]
    expect((await get(`${first.origin}/mcp`)).status).toBe(404)
    const file = await get(at(first, uploaded.url))
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await file.arrayBuffer()).equals(BANNER)).toBe(true)
    await vi.waitFor(async () => expect(await adOf(first)).toContain('"impression"'), { timeout: 60_000, interval: 200 })
    const impression = /"impression":"([^"]+)"/.exec(await adOf(first))?.[1] ?? ''
    for (const server of [first, second, first]) expect((await get(at(server, impression))).status).toBe(200)

    // An acknowledged event survives the process.
    await Promise.all([first.end('SIGKILL'), second.end('SIGKILL')])
    const shown = await line.json('direct-orders', 'show', 'own')
    expect(shown.lines).toMatchObject([{ line_id: 'a', impressions: 1 }])
  },
  PATIENCE,
)
