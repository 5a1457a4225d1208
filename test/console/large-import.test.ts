import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { html } from '../../src/domain/html.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let trafficker: ConsoleClient
let path: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  trafficker = await signedIn(agent, 'tom', 'ad_operations', agent.tenant)
  path = `/console/t/${agent.tenant}/products/import`
})
afterAll(() => agent.stop())

const send = (text: string, fields: Record<string, string>, name = 'a.csv') =>
  trafficker.upload(path, { name, text }, { step: 'file', mode: 'merge', ...fields })
const step = (fields: Record<string, string>) => send('', { name: 'a.csv', ...fields }, '')

it('a value that every row gets, times the rows, is no more than a file may be', async () => {
  const fields = { step: 'map', text: `foo,bar\n${'1,2\n'.repeat(2_000)}`, 'column-0': 'product_id', 'column-1': 'name' }
  const refused = await step({ ...fields, 'fixed-description': '"'.repeat(20_000) })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('more than 16 million characters')])
  expect(refused.text.length).toBeLessThan(20_000)
})

it('a file is carried on packed, and comes back as it was', async () => {
  const mapping = await send(`foo,bar\nnews,"a ""quoted"" <name>"\n`, {})
  const [, packed = ''] = /name="packed" value="([\w+/=]+)"/.exec(mapping.text) ?? []
  expect(gunzipSync(Buffer.from(packed, 'base64')).toString()).toContain('a ""quoted"" <name>')
  for (const wrong of ['%%%', Buffer.from('no gzip').toString('base64')]) {
    const refused = await step({ step: 'map', packed: wrong })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('choose the file again')])
  }
})

it('what is quoted of a file is short, however long it is there', async () => {
  const { status, text } = await send(JSON.stringify({ products: [{ product_id: '&'.repeat(2_000_000) }] }), {}, 'a.json')
  expect([status, text.includes('products')]).toEqual([400, true])
  expect(text.length).toBeLessThan(100_000)
  expect(html`${'"'.repeat(1_000_000)}`.text.length).toBeLessThan(2_000_000)
})

it('fields beside the file are bounded, and are UTF-8', async () => {
  const long = await step({ step: 'map', text: 'a,b\n1,2\n', 'fixed-name': 'x'.repeat(1_100_000) })
  expect([long.status, long.text]).toEqual([413, expect.stringContaining('larger than 976 KiB')])
})

it('bytes that are no letter of Windows-1252 are no table, and those that are one are read', async () => {
  const western = await send(
    new Uint8Array(Buffer.from(`SKU;Title\r\n${`news;${'\u0080'.repeat(60_000)}\r\n`.repeat(10)}`, 'latin1')) as never,
    {},
  )
  expect(western.text).toContain('was read as Windows-1252')
  const split = Buffer.concat([Buffer.from('a'.repeat(499_999)), Buffer.from('ä'), Buffer.from([0x80])])
  expect((await send(new Uint8Array(split) as never, {})).text).toContain('it is no UTF-8 text')
})
